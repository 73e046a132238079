internal import Tokens

extension AccountFlows {
    /// How long no e-mail is sent to an address that a mail server reported as nonexistent: 30 days, in milliseconds.
    package static let suppression: Int64 = 30 * 86_400_000
    /// How long after an e-mail to such an address another one is sent, if the address has signed in before: one day, in
    /// milliseconds.
    package static let suppressionTrial: Int64 = 86_400_000

    /// Returns the keyed hash by which the database recognizes an address that a mail server reported as nonexistent,
    /// under the newest secret.
    ///
    /// - Parameter address: the address in canonical form.
    package func suppressionKey(of address: String) throws -> String {
        try KeyedHash.make(address, purpose: "mailboxes", secrets: secrets)
    }

    /// Whether a suppressed address, in canonical form, gets one e-mail now, which shows whether its mailbox exists again.
    ///
    /// So do addresses that have signed in before, once in ``suppressionTrial``.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - triedAt: when an e-mail was last sent to it, in milliseconds since 1970; `nil` if that is unknown.
    ///   - store: the transaction.
    package func isTriedAgain(_ address: String, since triedAt: Int64?, in store: some AccountStore) throws -> Bool {
        guard let triedAt, store.now - triedAt >= Self.suppressionTrial else { return false }
        return try store.user(email: address)?.emailVerifiedAt != nil
    }

    /// Allows e-mails again to an address, in canonical form, that a mail server reported as nonexistent; does nothing
    /// for other addresses.
    package func endSuppression(of address: String, in store: some AccountStore) throws {
        for key in try KeyedHash.all(address, purpose: "mailboxes", secrets: secrets) {
            try store.endSuppression(of: key)
        }
    }
}
