/// A notification between nodes on one database: something has happened that is worth checking early.
///
/// A notification may arrive late, twice or not at all, so receivers also poll the database.
package enum NodeNotification: Hashable, Sendable {
    /// The user with this UID was changed or deleted, their documents have changed, or one of their sessions has ended.
    case user(String)
    /// The ticket with this id was approved, redeemed or ended, so calls that wait for it should check it.
    case ticket(String)
    /// Something about the account of a user has changed, of a kind that this module does not know.
    ///
    /// The kind is a word without spaces.
    case account(String, uid: String)
    /// An e-mail was queued, so mail workers should check the outbox.
    case mail
    /// A hook message was queued, so hook workers should check their queue.
    case hooks
    /// Notifications may have been missed, so anything may have changed.
    case anything
}
