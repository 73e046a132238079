/// The Message-ID of an e-mail (RFC 5322 section 3.6.4): its identifier in the outbox, a dot, and a keyed hash.
///
/// A Message-ID is the same in every attempt, so an e-mail that was sent twice can be recognised. The identifier is the
/// one that the log and the trace show. The hash stands in no log, so only those who have the e-mail, or a report about
/// it, know the whole Message-ID.
package struct MessageID: Sendable, Equatable {
    /// The e-mail's identifier.
    package let mail: String
    /// The keyed hash of the identifier (`AccountFlows.messageProof`).
    package let proof: String

    /// Makes a Message-ID from its parts, which must be base64url.
    package init(mail: String, proof: String) {
        self.mail = mail
        self.proof = proof
    }

    /// Parses the part before the `@` of a Message-ID, with or without angle brackets; `nil` for one that has another
    /// form.
    ///
    /// The proof is not checked, and neither is the domain, which may have changed since.
    package init?(parsing text: some StringProtocol) {
        var text = text.trimmingSpaces[...]
        if text.first == "<" { text.removeFirst() }
        let local = text.prefix { $0 != "@" }
        guard local.utf8.count <= 64, local.endIndex < text.endIndex else { return nil }
        let parts = local.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        guard parts.count == 2, isPlain else { return nil }
        (mail, proof) = (String(parts[0]), String(parts[1]))
    }

    /// Returns the header's value, with its angle brackets; `domain` is the sender's, in ASCII.
    package func text(domain: String) -> String { "<\(mail).\(proof)@\(domain)>" }
}
