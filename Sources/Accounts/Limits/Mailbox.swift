/// The mailbox behind an e-mail address, as far as limits are concerned.
enum Mailbox {
    /// Gmail's domains, whose addresses share their mailboxes.
    private static let gmail: Set = ["gmail.com", "googlemail.com"]

    /// Returns the form that all addresses of one mailbox share.
    ///
    /// Lowercases the address and removes the tag after the first `+`. For Gmail it also removes dots and unites both
    /// domains.
    ///
    /// - Warning: Only for limits, never for identity: another mail system may keep two mailboxes for two such
    ///   addresses.
    static func folded(_ address: String) -> String {
        let lowercased = address.lowercased()
        guard let at = lowercased.lastIndex(of: "@") else { return lowercased }
        let domain = String(lowercased[lowercased.index(after: at)...])
        let isGmail = gmail.contains(domain)
        var local = lowercased[..<at]
        // An address that begins with `+` would have no name left.
        if let plus = local.firstIndex(of: "+"), plus != local.startIndex { local = local[..<plus] }
        let name = isGmail ? local.filter { $0 != "." } : String(local)
        return "\(name)@\(isGmail ? "gmail.com" : domain)"
    }
}
