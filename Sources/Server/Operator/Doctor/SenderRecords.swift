internal import Network

/// The DNS records of a sender's domain that decide whether receivers trust its e-mails.
struct SenderRecords {
    let domain: String
    let resolver: DNSResolver

    /// Checks that the domain can receive e-mail, because mail servers distrust a sender that cannot.
    func mailbox() throws(DNSResolver.Failure) -> DoctorFinding {
        guard try resolver.receivesMail(domain) else {
            return .problem(
                "dns.sender",
                "\(domain) has no MX, A or AAAA record. Receivers reject senders that cannot receive.",
                "Publish an MX record for \(domain), or send from a domain that has one."
            )
        }
        return .ok("dns.sender", "\(domain) can receive e-mail.")
    }

    /// Checks the SPF record (RFC 7208).
    func spf() throws(DNSResolver.Failure) -> DoctorFinding {
        let records = try resolver.texts(domain).filter { Self.isSPF($0) }
        guard let record = records.first else {
            return .problem(
                "dns.spf",
                "\(domain) has no SPF record, so receivers cannot tell whether your relay may send for it.",
                "Publish a TXT record for \(domain): \"v=spf1 include:… -all\", with what your relay's provider names."
            )
        }
        guard records.count == 1 else {
            return .problem(
                "dns.spf",
                "\(domain) has \(records.count) SPF records, which receivers treat as an error.",
                "Combine them into one record."
            )
        }
        let terms = Self.terms(record)
        if terms.contains(where: { ["+all", "all", "?all"].contains($0) }) {
            return .problem(
                "dns.spf",
                "The SPF record of \(domain) lets every machine send for it.",
                "End it with -all, or with ~all while you try it."
            )
        }
        var budget = 10
        guard try isWithinBudget(record, &budget, depth: 0) else {
            return .problem(
                "dns.spf",
                "The SPF record of \(domain) needs more than 10 look-ups, which receivers treat as an error.",
                "Remove includes that you do not need."
            )
        }
        let hasEnd = terms.contains("-all") || terms.contains("~all") || terms.contains { $0.hasPrefix("redirect=") }
        guard hasEnd else {
            return .warning(
                "dns.spf",
                "The SPF record of \(domain) does not say what to do with other senders.",
                "End it with -all, or with ~all while you try it."
            )
        }
        return .ok("dns.spf", "SPF: \(record)")
    }

    /// Checks the DMARC record of the domain, or of the nearest domain above it that has one (RFC 7489).
    func dmarc() throws(DNSResolver.Failure) -> DoctorFinding {
        var labels = domain.split(separator: ".")[...]
        var found: (name: String, record: String)?
        // At least two labels: no policy is looked for at a top-level domain.
        while found == nil, labels.count >= 2 {
            let name = "_dmarc." + labels.joined(separator: ".")
            if let record = try resolver.texts(name).first(where: { Self.tags($0)["v"] == "DMARC1" }) {
                found = (name, record)
            }
            labels = labels.dropFirst()
        }
        guard let found else {
            return .problem(
                "dns.dmarc",
                "\(domain) has no DMARC record. Large receivers reject such senders or take their e-mails for spam.",
                "Publish a TXT record for _dmarc.\(domain): \"v=DMARC1; p=none; rua=mailto:dmarc@\(domain)\"."
            )
        }
        let tags = Self.tags(found.record)
        switch tags["p"]?.lowercased() {
        case "none":
            return .warning(
                "dns.dmarc",
                "The DMARC policy of \(found.name.dropFirst(7)) is none, so others can send in your name.",
                "Once the reports show that your e-mails pass, change it to p=quarantine and later to p=reject."
            )
        case "quarantine", "reject": return .ok("dns.dmarc", "DMARC: \(found.record)")
        default:
            return .problem(
                "dns.dmarc",
                "The DMARC record at \(found.name) has no valid policy: \(found.record)",
                "Add p=none, p=quarantine or p=reject."
            )
        }
    }

    /// Checks the key of a DKIM selector (RFC 6376, section 3.6.1).
    func dkim(_ selector: String) throws(DNSResolver.Failure) -> DoctorFinding {
        let name = "\(selector)._domainkey.\(domain)"
        let texts: [String]
        do throws(DNSResolver.Failure) { texts = try resolver.texts(name) } catch {
            guard error == .invalidName else { throw error }
            return .problem(
                "dns.dkim",
                "\(selector) is not a DKIM selector.",
                "It is s= in the DKIM-Signature of an e-mail."
            )
        }
        guard let record = texts.first(where: { Self.tags($0)["p"] != nil }) else {
            return .problem(
                "dns.dkim",
                "There is no DKIM key at \(name), so signatures with this selector fail.",
                "Publish the record that your relay's provider names, or correct the selector."
            )
        }
        let tags = Self.tags(record)
        let key = tags["p", default: ""].filter { !$0.isWhitespace }
        guard !key.isEmpty else {
            return .problem("dns.dkim", "The DKIM key at \(name) was revoked.", "Sign with another selector.")
        }
        // An RSA key of 1024 bits has 216 characters in base64, one of 2048 bits 392.
        if tags["k", default: "rsa"] == "rsa", key.count < 380 {
            return .warning(
                "dns.dkim",
                "The DKIM key at \(name) is shorter than 2048 bits.",
                "Make a longer one, under a new selector."
            )
        }
        return .ok("dns.dkim", "DKIM: there is a key at \(name).")
    }

    /// Counts the look-ups that receivers need for a record and all that it includes.
    private func isWithinBudget(_ record: String, _ budget: inout Int, depth: Int) throws(DNSResolver.Failure) -> Bool {
        for term in Self.terms(record) {
            let bare = term.drop { "+-~?".contains($0) }
            let mechanism = bare.prefix { $0 != ":" && $0 != "/" && $0 != "=" }
            guard ["include", "a", "mx", "ptr", "exists", "redirect"].contains(String(mechanism)) else { continue }
            budget -= 1
            guard budget >= 0 else { return false }
            guard mechanism == "include" || mechanism == "redirect", depth < 10 else { continue }
            let target = String(bare.dropFirst(mechanism.count + 1))
            // A macro is expanded by the receiver alone.
            guard !target.contains("%") else { continue }
            guard let next = try resolver.texts(target).first(where: Self.isSPF) else { continue }
            guard try isWithinBudget(next, &budget, depth: depth + 1) else { return false }
        }
        return true
    }

    private static func isSPF(_ text: String) -> Bool {
        text.lowercased() == "v=spf1" || text.lowercased().hasPrefix("v=spf1 ")
    }

    private static func terms(_ record: String) -> [String] {
        record.lowercased().split(separator: " ").dropFirst().map(String.init)
    }

    /// Parses a list of tags such as `v=DMARC1; p=none`.
    ///
    /// The first of several equal tags counts.
    private static func tags(_ text: String) -> [String: String] {
        var tags: [String: String] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let name = String(pair[0].filter { !$0.isWhitespace }).lowercased()
            var value = pair[1]
            while value.first?.isWhitespace == true { value = value.dropFirst() }
            while value.last?.isWhitespace == true { value = value.dropLast() }
            if tags[name] == nil { tags[name] = String(value) }
        }
        return tags
    }
}
