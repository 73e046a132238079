internal import Crypto
internal import Tokens

extension AccountFlows {
    /// The number of characters of a proof: the key's id and 136 bits of the hash.
    private static let proofLength = 24

    /// Returns the keyed hash that the Message-ID of an e-mail adds to its identifier.
    ///
    /// Only the e-mail itself has it, not the log. So a sender who knows it has seen the e-mail, or a report about it.
    package func messageProof(of mail: String) throws -> String {
        String(try KeyedHash.make(mail, purpose: "message-id", secrets: secrets).prefix(Self.proofLength))
    }

    /// Whether a text is the proof of an e-mail, under one of the server's secrets.
    ///
    /// The hashes are compared in constant time.
    package func isMessageProof(_ text: String, of mail: String) throws -> Bool {
        try KeyedHash.all(mail, purpose: "message-id", secrets: secrets).contains { hash in
            constantTimeEqual(Array(hash.prefix(Self.proofLength).utf8), Array(text.utf8))
        }
    }
}
