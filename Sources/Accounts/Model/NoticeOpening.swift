/// What the notice of a change needs that is determined before the transaction of the change.
///
/// The identifiers are drawn outside the transaction, because transactions may run again.
package struct NoticeOpening: Sendable {
    package let ids: MailIDs
    /// The name of the device that makes the change; empty if it is unknown.
    package let device: String
    /// The language of the notice, unless the change itself names one.
    package let locale: String
    /// The time zone of the notice, unless the change itself names one; UTC for `nil`.
    package let timeZone: String?

    /// Makes an opening from its parts.
    package init(ids: MailIDs, device: String = "", locale: String = "en", timeZone: String? = nil) {
        self.ids = ids
        self.device = device
        self.locale = locale
        self.timeZone = timeZone
    }
}

/// The initiator of a change, as far as its notice depends on it.
enum NoticeCause {
    /// The user, in a call of their own; the notice counts against ``Policy/noticesPerAccount``, and beyond it the call
    /// is refused.
    case user
    /// An administrator; if a limit allows no further notice, the change is made without one.
    case administrator
}
