package import Accounts

/// A mail as it is about to be sent: what its template shows, and what must be the same in every attempt.
///
/// Secret, so sealed at rest.
package struct MailPayload: Sendable, Equatable {
    package var kind: MailKind
    /// The recipient's canonical address.
    package var to: String
    /// One of the templates' languages.
    package var locale: String
    /// The values to show.
    ///
    /// More than the kind needs may be there, for a kind that is chosen later.
    package var values: [MailPlaceholder: String]
    /// Made by `MessageID.make` when the mail was queued.
    package var messageID: String
    /// When the mail was queued, in milliseconds since 1970 of the database's clock: its Date, and the time it shows.
    package var queuedAt: Int64

    package init(
        kind: MailKind,
        to: String,
        locale: String,
        values: [MailPlaceholder: String],
        messageID: String,
        queuedAt: Int64
    ) {
        self.kind = kind
        self.to = to
        self.locale = locale
        self.values = values
        self.messageID = messageID
        self.queuedAt = queuedAt
    }
}
