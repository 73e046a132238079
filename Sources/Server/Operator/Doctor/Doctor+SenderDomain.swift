internal import Mail
internal import Network

extension Doctor {
    /// Checks the DNS records that receivers of e-mails look at: SPF, DMARC, and DKIM if its selector is known.
    func senderDomainChecks() -> [DoctorFinding] {
        let domain: String
        do { domain = try MailSender(parsing: configuration.mailFrom).domain } catch {
            return [
                .problem(
                    "dns.sender",
                    "mailFrom: \(error.description).",
                    "Write it like Example <no-reply@example.com>."
                )
            ]
        }
        guard domain.contains("."), domain.utf8.last.map({ $0 != UInt8(ascii: "]") }) ?? false else {
            return [
                .warning(
                    "dns.sender",
                    "The sender's domain \(domain) is not one of the Internet, so SPF, DKIM and DMARC were not checked.",
                    "Set mailFrom to an address of your own domain."
                )
            ]
        }
        let resolver: DNSResolver
        if let text = options.dnsServer {
            guard let server = DNSResolver.Server(text) else {
                return [
                    .problem(
                        "dns",
                        "\(text) is not the address of a DNS server.",
                        "Write it like 192.0.2.1 or [::1]:5353."
                    )
                ]
            }
            resolver = DNSResolver(servers: [server])
        } else {
            resolver = DNSResolver.system()
        }
        let records = SenderRecords(domain: domain, resolver: resolver)
        do throws(DNSResolver.Failure) {
            var findings = try [records.mailbox(), records.spf(), records.dmarc()]
            if let selector = options.selector {
                findings.append(try records.dkim(selector))
            } else {
                findings.append(
                    .warning(
                        "dns.dkim",
                        "DKIM was not checked, because its selector is not known.",
                        "Name it with --dkim-selector. It is s= in the DKIM-Signature of an e-mail that you received."
                    )
                )
            }
            return findings
        } catch {
            return [Self.finding(error)]
        }
    }

    private static func finding(_ failure: DNSResolver.Failure) -> DoctorFinding {
        switch failure {
        case .noAnswer:
            .problem(
                "dns",
                "No DNS server answers.",
                "Check the servers in /etc/resolv.conf and the firewall, or name another one with --dns-server."
            )
        case .refused(let code):
            .problem(
                "dns",
                "The DNS server could not answer (code \(code)).",
                "Try another one with --dns-server. Code 2 often means that the domain's own servers do not answer."
            )
        case .malformed, .invalidName:
            .problem("dns", "The DNS server's answer cannot be read.", "Try another one with --dns-server.")
        }
    }
}
