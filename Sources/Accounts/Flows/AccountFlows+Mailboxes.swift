internal import Tokens

extension AccountFlows {
    /// How long nothing is sent to an address that a mail server said does not exist.
    ///
    /// Milliseconds.
    package static let suppression: Int64 = 86_400_000

    /// The keyed hash by which the database recognises a mailbox that does not exist.
    package func suppressionKey(of address: String) throws -> String {
        try KeyedHash.make(address, purpose: "mailboxes", secrets: secrets)
    }

    /// Sends mails to an address again that a mail server said does not exist.
    package func endSuppression(of address: String, in store: some AccountStore) throws {
        for key in try KeyedHash.all(address, purpose: "mailboxes", secrets: secrets) {
            try store.endSuppression(of: key)
        }
    }
}
