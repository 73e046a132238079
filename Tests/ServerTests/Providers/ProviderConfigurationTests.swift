import Foundation
import Server
import Testing

@Suite("Configuration of identity providers")
struct ProviderConfigurationTests {
    private static func load(_ text: String, isProduction: Bool = true) throws -> Configuration {
        try TestServer.inFolder { folder in
            let file = folder.appendingPathComponent("latchkey.json5")
            try Data(text.utf8).write(to: file)
            let production = [
                "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": TestServer.secret,
                "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_SMTP_URL": "smtp://mail.example.com",
                "LATCHKEY_MAIL_FROM": "a@example.com",
            ]
            return try Configuration.load(file: file.path, environment: isProduction ? production : [:])
        }
    }

    @Test func `Google and Apple need no more than the clients`() throws {
        let providers = try Self.load(
            "{ providers: { 'google.com': { clientIDs: ['g'] }, 'apple.com': { clientIDs: ['a', 'b'] } } }"
        ).providers
        #expect(providers.map(\.id) == ["apple.com", "google.com"])
        #expect(providers.map(\.issuer) == ["https://appleid.apple.com", "https://accounts.google.com"])
        #expect(providers.map(\.clientIDs) == [["a", "b"], ["g"]])
        #expect(providers.map(\.isEmailTrusted) == [true, true])
    }

    @Test func `any issuer can be one`() throws {
        let providers = try Self.load(
            """
            { providers: { 'oidc.my-idp_2': {
                issuer: 'https://id.example.com/realms/main/', clientIDs: ['c'], trustEmail: true,
                emailDomains: ['Example.COM', 'bücher.example'], certificates: '/etc/os-release', acceptUnknownNonce: true } } }
            """
        ).providers
        let provider = try #require(providers.first)
        #expect(provider.issuer == "https://id.example.com/realms/main/")
        #expect(provider.emailDomains == ["example.com", "xn--bcher-kva.example"])
        #expect(provider.caFile == "/etc/os-release")
        #expect(provider.acceptsUnknownNonce)
        let plain = try Self.load("{ providers: { 'oidc.a': { issuer: 'https://a.example', clientIDs: ['c'] } } }")
        #expect(plain.providers.first?.isEmailTrusted == false)
        #expect(plain.providers.first?.acceptsUnknownNonce == false)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: String
        init(_ providers: String, _ says: String) {
            testDescription = providers
            self.says = says
        }
    }

    static let cases = [
        Case("{ 'google.com': { trustEmail: true } }", "at least one client"),
        Case("{ 'google.com': { clientIDs: [] } }", "at least one client"),
        Case("{ 'google.com': {} }", "at least one client"),
        Case("{ 'facebook.com': {} }", "a provider is"),
        Case("['google.com']", "must be an object"),
        Case("{ 'google.com': { clientIDs: ['a'], trustEmails: true } }", "no such setting"),
        Case("{ 'google.com': { clientIDs: ['a'], certificates: '/nonexistent' } }", "cannot be read"),
        Case("{ 'google.com': { clientIDs: [''] } }", "at least one client"),
        Case("{ 'google.com': { clientIDs: [1] } }", "a list of strings"),
        Case("{ 'google.com': { clientIDs: ['a'], secret: 'x' } }", "it takes"),
        Case("{ 'facebook.com': { clientIDs: ['a'] } }", "a provider is"),
        Case("{ 'oidc.': { issuer: 'https://a.example', clientIDs: ['a'] } }", "a provider is"),
        Case("{ 'oidc.A': { issuer: 'https://a.example', clientIDs: ['a'] } }", "a provider is"),
        Case("{ 'oidc.a.b': { issuer: 'https://a.example', clientIDs: ['a'] } }", "a provider is"),
        Case("{ 'oidc.a': 'https://a.example' }", "a provider is"),
        Case("{ 'oidc.a': { clientIDs: ['a'] } }", "absolute https URL"),
        Case("{ 'oidc.a': { issuer: 'http://a.example', clientIDs: ['a'] } }", "absolute https URL"),
        Case("{ 'oidc.a': { issuer: 'https://u:p@a.example', clientIDs: ['a'] } }", "absolute https URL"),
        Case("{ 'oidc.a': { issuer: 'https://a.example?x', clientIDs: ['a'] } }", "absolute https URL"),
        Case("{ 'oidc.a': { issuer: 'https://a.example#x', clientIDs: ['a'] } }", "absolute https URL"),
        Case("{ 'oidc.a': { issuer: 'https://127.0.0.1', clientIDs: ['a'] } }", "not a public address"),
        Case("{ 'oidc.a': { issuer: 'https://[::1]:8443/x', clientIDs: ['a'] } }", "not a public address"),
        Case("{ 'oidc.a': { issuer: 'https://169.254.169.254', clientIDs: ['a'] } }", "not a public address"),
        Case(
            "{ 'oidc.a': { issuer: 'https://a.example', clientIDs: ['a'], emailDomains: ['a.example'] } }",
            "trustEmail is off"
        ),
        Case(
            "{ 'oidc.a': { issuer: 'https://a.example', clientIDs: ['a'], trustEmail: true, emailDomains: ['@'] } }",
            "not a domain"
        ),
        Case("{ 'oidc.a': { issuer: 'https://a.example', clientIDs: ['a'], trustEmail: 'perhaps' } }", "true or false"),
    ]

    @Test(arguments: cases)
    func `what is wrong with a provider is said`(_ example: Case) {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load("{ providers: \(example.testDescription) }")
        }
        #expect(error?.description.contains(example.says) == true, "\(error.map(\.description) ?? "")")
    }

    @Test func `an inner issuer is taken when its address is allowed, or in development`() throws {
        let provider = "'oidc.a': { issuer: 'https://10.1.2.3', clientIDs: ['a'] }"
        #expect(throws: ConfigurationError.self) { try Self.load("{ providers: { \(provider) } }") }
        let allowed = "{ providers: { \(provider) }, providersAllowPrivate: ['10.1.0.0/16'] }"
        #expect(try Self.load(allowed).providers.count == 1)
        #expect(try Self.load("{ providers: { \(provider) } }", isProduction: false).providers.count == 1)
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load("{ providersAllowPrivate: ['nonsense'] }")
        }
        #expect(error?.description.contains("not an address or range") == true)
    }
}
