internal import Crypto
internal import FoundationEssentials

extension Configuration {
    /// Reads the setting `serviceAccounts`: the public keys or certificates by the account's e-mail address, as PEM or
    /// as the path of a PEM file.
    static func serviceAccounts(_ settings: inout Settings) -> [String: [VerificationKey]] {
        settings.strings(under: "serviceAccounts", like: #"{"name@project.iam.gserviceaccount.com": "public.pem"}"#)
            .reduce(into: [:]) { accounts, account in
                let key = "serviceAccounts.\(account.key)"
                guard let pem = text(account.value) else {
                    settings.refuse(key, "\(account.value) cannot be read; check the path and its permissions")
                    return
                }
                guard let keys = try? VerificationKey.reading(pem: pem, .rs256), (1...16).contains(keys.count) else {
                    settings.refuse(
                        key,
                        "must be 1 to 16 RSA public keys or certificates in PEM; for a private key, give its public key, "
                            + "which this prints: openssl rsa -in key.pem -pubout"
                    )
                    return
                }
                accounts[account.key] = keys
            }
    }

    private static func text(_ value: String) -> String? {
        if value.hasPrefix("-----BEGIN ") { return value }
        return (try? Data(contentsOf: URL(filePath: value))).flatMap { String(bytes: $0, encoding: .utf8) }
    }
}
