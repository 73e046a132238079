/// The data that the erasure of a user removes.
package enum ErasedData: String, Sendable, CaseIterable {
    case sessions, identities, documents, usernames
    /// Requests for sign-in e-mails.
    case tickets
    /// Links and codes of e-mails.
    case links
    /// E-mails in the outbox, waiting or done.
    case mails
    /// Reports of merges.
    case merges
    /// Networks that the address signed in from.
    case knownClients
    /// Counters of limits, and denials.
    case counters
    /// Addresses to which no e-mail is sent, because a mail server reported them as nonexistent.
    case suppressions
    /// Events of requested e-mails.
    case trace
}

/// The erasure of a user: a receipt of what was removed.
package struct Erasure: Sendable, Equatable {
    /// The user as before the erasure.
    package let user: User
    /// When the user was erased, in milliseconds since 1970.
    package let at: Int64
    /// The numbers of removed rows, without those of 0.
    package let removed: [ErasedData: Int]

    /// The numbers in words for the audit log.
    var summary: String {
        ErasedData.allCases.compactMap { data in removed[data].map { "\(data.rawValue) \($0)" } }.joined(
            separator: ", "
        )
    }
}
