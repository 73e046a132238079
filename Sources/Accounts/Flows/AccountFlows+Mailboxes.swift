internal import Tokens

extension AccountFlows {
    /// How long no e-mail is sent to an address that a mail server reported as nonexistent, in milliseconds.
    package static let suppression: Int64 = 86_400_000

    /// Returns the keyed hash by which the database recognizes an address that a mail server reported as nonexistent,
    /// under the newest secret.
    ///
    /// - Parameter address: the address in canonical form.
    package func suppressionKey(of address: String) throws -> String {
        try KeyedHash.make(address, purpose: "mailboxes", secrets: secrets)
    }

    /// Allows e-mails again to an address, in canonical form, that a mail server reported as nonexistent; does nothing
    /// for other addresses.
    package func endSuppression(of address: String, in store: some AccountStore) throws {
        for key in try KeyedHash.all(address, purpose: "mailboxes", secrets: secrets) {
            try store.endSuppression(of: key)
        }
    }
}
