internal import Accounts
internal import Network

/// An identity provider whose ID tokens are accepted.
package struct ProviderConfiguration: Sendable, Equatable {
    /// The provider's ID: `google.com`, `apple.com`, or `oidc.` and a name.
    package let id: String
    /// The `iss` claim of the provider's tokens, and the base URL of its discovery document.
    package let issuer: String
    /// The accepted audiences of the provider's tokens.
    package let clientIDs: Set<String>
    /// Whether the provider's claim about an e-mail address proves that the user owns the address.
    package let isEmailTrusted: Bool
    /// The domains of e-mail addresses for which the provider's claim proves the ownership; empty for all domains.
    ///
    /// Has no effect unless ``isEmailTrusted`` is set.
    package let emailDomains: Set<String>
    /// A PEM file of certificate authorities to trust for the provider's server instead of the system's; `nil` for the
    /// system's.
    package let caFile: String?
    /// Whether a token with a nonce is accepted if the client does not send the nonce.
    package let acceptsUnknownNonce: Bool

    static let google = "google.com"
    static let apple = "apple.com"

    /// The accepted values of `iss`: Google sometimes omits the scheme.
    var issuers: Set<String> {
        guard id == Self.google, issuer.hasPrefix("https://") else { return [issuer] }
        return [issuer, String(issuer.dropFirst("https://".count))]
    }

    fileprivate static let usualIssuers = [google: "https://accounts.google.com", apple: "https://appleid.apple.com"]
}

extension Configuration {
    private static let providerSettings: Set = [
        "issuer", "clientIDs", "trustEmail", "emailDomains", "certificates", "acceptUnknownNonce",
    ]

    /// Reads the setting `providers` from the configuration file: an object for each provider, by its ID.
    static func providers(_ settings: inout Settings) -> [ProviderConfiguration] {
        var ids: Set<String> = []
        for (path, value) in settings.members(of: "providers", like: #"{"google.com": {clientIDs: ["…"]}}"#) {
            // An ID contains dots itself. An empty provider is given as a whole.
            let dot = path.lastIndex(of: ".") ?? path.endIndex
            let isWhole = if case .object = value { true } else { false }
            let id = isWhole ? path : String(path[..<dot])
            let member = isWhole ? nil : String(path[dot...].dropFirst())
            guard isProvider(id) else {
                settings.refuse(
                    "providers.\(path)",
                    "a provider is google.com, apple.com, or oidc. and a name of lower-case letters, digits, _ and -"
                )
                continue
            }
            if let member, !providerSettings.contains(member) {
                settings.refuse(
                    "providers.\(path)",
                    "a provider has no such setting; it takes \(providerSettings.sorted().joined(separator: ", "))"
                )
            }
            ids.insert(id)
        }
        return ids.sorted().compactMap { provider($0, &settings) }
    }

    /// Whether a text can be the ID of a provider.
    static func isProvider(_ id: String) -> Bool {
        guard ProviderConfiguration.usualIssuers[id] == nil else { return true }
        let name = id.utf8.dropFirst("oidc.".utf8.count)
        return id.hasPrefix("oidc.") && (1...64).contains(name.count)
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func provider(_ id: String, _ settings: inout Settings) -> ProviderConfiguration? {
        let key = "providers.\(id)"
        let usualIssuer = ProviderConfiguration.usualIssuers[id]
        let issuer = settings.string("\(key).issuer") ?? usualIssuer
        let clientIDs = settings.strings("\(key).clientIDs")
        let isEmailTrusted = settings.bool("\(key).trustEmail", default: usualIssuer != nil)
        let domains = settings.strings("\(key).emailDomains")
        let caFile = settings.file("\(key).certificates")
        let acceptsUnknownNonce = settings.bool("\(key).acceptUnknownNonce", default: false)

        guard let issuer, let (origin, rest) = Origin.parse(issuer), origin.scheme == "https",
            !rest.contains(where: { $0 == "?" || $0 == "#" })
        else {
            settings.refuse("\(key).issuer", "must be an absolute https URL without user, query and fragment")
            return nil
        }
        if clientIDs.isEmpty || clientIDs.contains("") {
            settings.refuse("\(key).clientIDs", "must name at least one client: tokens for other clients are refused")
        }
        if !domains.isEmpty, !isEmailTrusted {
            settings.refuse("\(key).emailDomains", "has no effect, because trustEmail is off")
        }
        let canonical = domains.compactMap { domain -> String? in
            let address = try? EmailAddress(parsing: "a@\(domain)")
            if address == nil { settings.refuse("\(key).emailDomains", "\(domain) is not a domain") }
            return address?.domain
        }
        return ProviderConfiguration(
            id: id,
            issuer: issuer,
            clientIDs: Set(clientIDs),
            isEmailTrusted: isEmailTrusted,
            emailDomains: Set(canonical),
            caFile: caFile,
            acceptsUnknownNonce: acceptsUnknownNonce
        )
    }

    /// Records problems with entries of `providersAllowPrivate` that are no addresses or ranges, and with providers
    /// whose issuer has an IP address that ``providerGate`` does not allow.
    func checkProviders(_ settings: inout Settings) {
        for text in providersAllowPrivate where AddressRange(text) == nil {
            settings.refuse("providersAllowPrivate", "\(text) is not an address or range; write it like 10.0.0.0/8")
        }
        for provider in providers {
            guard let host = Origin.parse(provider.issuer)?.origin.host,
                let address = IPAddress(host.filter { $0 != "[" && $0 != "]" }), !providerGate.allows(address)
            else { continue }
            settings.refuse(
                "providers.\(provider.id).issuer",
                "\(address) is not a public address; to allow it, add it to providersAllowPrivate"
            )
        }
    }

    /// The addresses that identity providers and the key sets of other issuers may have: in development all, otherwise
    /// public ones and those that the setting `providersAllowPrivate` lists.
    var providerGate: AddressGate {
        mode == .development ? .open : .publicOnly(allowing: providersAllowPrivate.compactMap { AddressRange($0) })
    }
}
