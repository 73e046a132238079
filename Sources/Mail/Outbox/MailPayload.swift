package import Accounts

/// An e-mail to be sent: the values that its template shows, and what must be the same in every attempt.
///
/// A payload may contain a live link, so it is never stored unsealed.
package struct MailPayload: Sendable, Equatable {
    package var kind: MailKind
    /// The recipient's canonical address.
    package var to: String
    /// The language of the e-mail, as a language tag.
    ///
    /// If the server no longer has texts in this language, the e-mail is sent in the default language.
    package var locale: String
    /// The time zone in which the e-mail writes times, by its name in IANA's database; UTC for `nil`.
    package var timeZone: String?
    /// The values to show.
    ///
    /// There may be more values than the templates of the kind use.
    package var values: [MailPlaceholder: String]
    /// The Message-ID, made by `MessageID.make` from the e-mail's identifier.
    package var messageID: String
    /// When the e-mail was queued, in milliseconds since 1970 by the database's clock.
    ///
    /// This time becomes the Date header and the time in the text.
    package var queuedAt: Int64

    package init(
        kind: MailKind,
        to: String,
        locale: String,
        timeZone: String? = nil,
        values: [MailPlaceholder: String],
        messageID: String,
        queuedAt: Int64
    ) {
        self.kind = kind
        self.to = to
        self.locale = locale
        self.timeZone = timeZone
        self.values = values
        self.messageID = messageID
        self.queuedAt = queuedAt
    }
}
