/// What a notice of a change needs before the change's transaction: identifiers are drawn outside, because transactions may run
/// again.
package struct NoticeOpening: Sendable {
    package let ids: MailIDs
    /// The name of the device that makes the change; empty if it is unknown.
    package let device: String
    /// The language of the notice, where the change itself names none.
    package let locale: String

    /// Makes an opening from its parts.
    package init(ids: MailIDs, device: String = "", locale: String = "en") {
        self.ids = ids
        self.device = device
        self.locale = locale
    }
}

/// On whose behalf a change is made, as far as its notice depends on it.
enum NoticeCause {
    /// A call of the user's own, which counts against the account's budget and is refused beyond it.
    case user
    /// An administrator, whose change is never refused for its notice.
    case administrator
}
