/// The addresses and domains that the operator blocks or admits.
package struct AddressLists: Sendable, Equatable {
    /// Domains, with or without their subdomains.
    package struct Domains: Sendable, Equatable {
        private var names: Set<String> = []
        /// The domains whose subdomains belong to the list.
        private var parents: Set<String> = []

        /// Makes an empty list.
        package init() {}

        /// Adds an entry: `example.com` for a domain, `*.example.com` for its subdomains.
        ///
        /// - Returns: whether the entry is a domain.
        package mutating func add(_ entry: String) -> Bool {
            let isParent = entry.hasPrefix("*.")
            let text = isParent ? entry.dropFirst(2) : entry[...]
            guard let domain = DomainName.canonical(text.unicodeScalars) else { return false }
            if isParent { parents.insert(domain) } else { names.insert(domain) }
            return true
        }

        /// Whether a domain in canonical form belongs to the list.
        package func contains(_ domain: String) -> Bool {
            if names.contains(domain) { return true }
            guard !parents.isEmpty else { return false }
            var rest = domain[...]
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if parents.contains(String(rest)) { return true }
            }
            return false
        }
    }

    private var blockedMailboxes: Set<String> = []
    private var blockedDomains = Domains()
    /// The only domains that are admitted; `nil` to admit all.
    package var allowedDomains: Domains?

    /// Makes lists that admit every address.
    package init() {}

    /// Blocks an address, with all addresses of its mailbox, or a domain.
    ///
    /// - Returns: whether the entry is an address or a domain.
    package mutating func block(_ entry: String) -> Bool {
        guard entry.contains("@") else { return blockedDomains.add(entry) }
        guard let address = try? EmailAddress(parsing: entry) else { return false }
        blockedMailboxes.insert(Mailbox.folded(address.canonical))
        return true
    }

    /// Why no e-mail is sent to an address, and the address may not sign in.
    package enum Objection: String, Sendable {
        case blocked = "the address is in lists.blockedAddresses"
        case notAllowed = "the domain is not in lists.allowedDomains"
    }

    /// Returns what the lists object to an address in canonical form; `nil` if they admit it.
    package func objection(to address: String) -> Objection? {
        let domain = address.lastIndex(of: "@").map { String(address[address.index(after: $0)...]) } ?? ""
        if let allowedDomains, !allowedDomains.contains(domain) { return .notAllowed }
        if blockedDomains.contains(domain) { return .blocked }
        return !blockedMailboxes.isEmpty && blockedMailboxes.contains(Mailbox.folded(address)) ? .blocked : nil
    }
}
