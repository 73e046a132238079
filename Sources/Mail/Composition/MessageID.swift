/// The Message-ID of an e-mail (RFC 5322 section 3.6.4).
///
/// A Message-ID is made from the identifier that an e-mail gets when it is queued, so it is the same in every attempt.
/// An e-mail that was sent twice can therefore be recognised.
package enum MessageID {
    /// Makes the Message-ID of an e-mail.
    ///
    /// - Parameters:
    ///   - random: the bytes of the e-mail's identifier, which must be unique: usually a time and random bytes.
    ///   - domain: the sender's domain, in ASCII.
    /// - Returns: the identifier with its angle brackets.
    package static func make(random: [UInt8], domain: String) -> String {
        let left = random.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return "<\(left)@\(domain)>"
    }
}
