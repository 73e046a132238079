/// The Message-ID of a mail (RFC 5322 section 3.6.4): drawn once, when the mail is queued, and the same in every
/// attempt, so that a mail which went twice can be recognised.
package enum MessageID {
    /// - Parameters:
    ///   - random: 16 random bytes.
    ///   - domain: the sender's domain, in ASCII.
    /// - Returns: the identifier with its angle brackets.
    package static func make(random: [UInt8], domain: String) -> String {
        let left = random.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return "<\(left)@\(domain)>"
    }
}
