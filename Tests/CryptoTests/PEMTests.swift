import Crypto
import Testing

@Suite("Public keys in PEM") struct PEMTests {
    @Test func `PEM blocks are read as keys, RSA keys and certificates, and the text around them is ignored`() throws {
        let text = "Bag Attributes\n\(Self.key)\n\n# another\r\n\(Self.rsaKey)\n\(Self.certificate)"
        let keys = try VerificationKey.reading(pem: text, .rs256)
        try #require(keys.count == 3)
        guard case .rsa(let n, let e) = keys[0].parameters else {
            Issue.record("no RSA key")
            return
        }
        #expect(n.count == 256 && e == [1, 0, 1])
        #expect(keys.allSatisfy { $0.parameters == keys[0].parameters })
    }

    @Test(arguments: ["", " ", "no key at all", "----BEGIN PUBLIC KEY----"])
    func `a text without PEM blocks has no keys`(text: String) throws {
        #expect(try VerificationKey.reading(pem: text, .rs256).isEmpty)
    }

    /// Named by what is wrong with them, because a test's arguments are printed.
    static let refused = [
        "a weak key": weak, "a key of another kind": curve, "a wrong length": key.replacing("MIIB", with: "MIIA"),
        "an end of another block": key.replacing("END PUBLIC", with: "END PRIVATE"),
        "a torn key": String(key.prefix(200)),
        "a private key": key.replacing("PUBLIC KEY", with: "PRIVATE KEY"),
        "no certificate": key.replacing("PUBLIC KEY", with: "CERTIFICATE"),
        "a good key and one of another kind": key + "\n" + curve,
        "a good key and a torn one": key + "\n" + key.prefix(100),
        "a good key and too many spaces": key + String(repeating: " ", count: 1 << 20),
    ]

    @Test(arguments: refused.keys.sorted())
    func `a text with a damaged, weak or other PEM block is refused as a whole`(name: String) throws {
        let text = try #require(Self.refused[name])
        let error = #expect(throws: CryptoError.self) { try VerificationKey.reading(pem: text, .rs256) }
        #expect(error?.kind == .invalidKey)
    }

    @Test func `private keys are refused`() throws {
        // The text of a private key that OpenSSL itself would read.
        let der = try SigningKey.generate(.rs256).exportedPKCS8().unwipedCopy()
        let text = "-----BEGIN PRIVATE KEY-----\n\(base64(der))\n-----END PRIVATE KEY-----\n"
        let error = #expect(throws: CryptoError.self) { try VerificationKey.reading(pem: text, .rs256) }
        #expect(error?.kind == .invalidKey)
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let padded = bytes + [UInt8](repeating: 0, count: (3 - bytes.count % 3) % 3)
        var text = ""
        for start in stride(from: 0, to: padded.count, by: 3) {
            let group = Int(padded[start]) << 16 | Int(padded[start + 1]) << 8 | Int(padded[start + 2])
            for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
            if text.count % 65 == 64 { text.append("\n") }
        }
        return text
    }

    static let key = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA4OL0C9uXmd8crcCeIgj9
        H8C8TRjXno8CYhplm/vvQfbI2XZASww5BrwwYsEDkc1b9GPAVC54kCqUCvEpmM/7
        Vmv0pwKpUlLgXtE38PsQp7uDgGf6+PpKB4Vts7ndSjFfm2c0i27llY3gvvt/femS
        S+tV7Qivhj0wY/3dXssptvEajtiVmYdxEjimg6cXk6miZPEgEsBlxC+9Oc8FVkDh
        bJGwyL5bL4PG0likhTtKELRmLzRCfmC581Uvq59uOVMrw4fMoCW0scSKW0zZQctr
        MONDKJhSl1SqoVRRB9IcJhxxGrGbLKniOKPYTo+/CZYmnrq296it2GMv0X7uq1hr
        nQIDAQAB
        -----END PUBLIC KEY-----
        """

    static let rsaKey = """
        -----BEGIN RSA PUBLIC KEY-----
        MIIBCgKCAQEA4OL0C9uXmd8crcCeIgj9H8C8TRjXno8CYhplm/vvQfbI2XZASww5
        BrwwYsEDkc1b9GPAVC54kCqUCvEpmM/7Vmv0pwKpUlLgXtE38PsQp7uDgGf6+PpK
        B4Vts7ndSjFfm2c0i27llY3gvvt/femSS+tV7Qivhj0wY/3dXssptvEajtiVmYdx
        Ejimg6cXk6miZPEgEsBlxC+9Oc8FVkDhbJGwyL5bL4PG0likhTtKELRmLzRCfmC5
        81Uvq59uOVMrw4fMoCW0scSKW0zZQctrMONDKJhSl1SqoVRRB9IcJhxxGrGbLKni
        OKPYTo+/CZYmnrq296it2GMv0X7uq1hrnQIDAQAB
        -----END RSA PUBLIC KEY-----
        """

    /// A certificate of the same key; its one day of validity has passed.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIC+TCCAeGgAwIBAgIURgiuT/opmgWxhKHD6aB6ql15n2owDQYJKoZIhvcNAQEL
        BQAwDDEKMAgGA1UEAwwBMTAeFw0yNjExMjExNzE5MzBaFw0yNjExMjIxNzE5MzBa
        MAwxCjAIBgNVBAMMATEwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDg
        4vQL25eZ3xytwJ4iCP0fwLxNGNeejwJiGmWb++9B9sjZdkBLDDkGvDBiwQORzVv0
        Y8BULniQKpQK8SmYz/tWa/SnAqlSUuBe0Tfw+xCnu4OAZ/r4+koHhW2zud1KMV+b
        ZzSLbuWVjeC++3996ZJL61XtCK+GPTBj/d1eyym28RqO2JWZh3ESOKaDpxeTqaJk
        8SASwGXEL705zwVWQOFskbDIvlsvg8bSWKSFO0oQtGYvNEJ+YLnzVS+rn245UyvD
        h8ygJbSxxIpbTNlBy2sw40MomFKXVKqhVFEH0hwmHHEasZssqeI4o9hOj78Jliae
        urb3qK3YYy/Rfu6rWGudAgMBAAGjUzBRMB0GA1UdDgQWBBRCydsXDoy/Ott5J4VV
        DBbqx6lSnDAfBgNVHSMEGDAWgBRCydsXDoy/Ott5J4VVDBbqx6lSnDAPBgNVHRMB
        Af8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQBdz2UlzHiH8cK5nkeRNRRAxi9N
        bl/Bl8qJ50gFSyOcYCvSdRELEGamboNAuI0Udp7DYv+P23kxFsDq3m3k+7nAPLRF
        jTBQ3lLd6XUQoM0D+nJ4+u/6HvkDWofF941r1G/4UlpbUn4kRha83b5WBgvqn8Ju
        271rlojCqa9S+eeQo4jOCtlBAPBk/h2345J/WtNTI+8lJBV9ODmiJ6us/2/TQFEk
        JC3AnMhAe/5ogdoBWmnbgBxZvlI/ud/kvMqj5LL0ZRAUivSSgGs+P/7/DmnGko3P
        ZNtmASEz0IesdFfDZCmIncNXRyI+S7IvSHTr2haPCf/Tn/JJnhxxjIU6loVd
        -----END CERTIFICATE-----
        """

    /// An RSA key with 1024 bits.
    static let weak = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDD/ccWIoDbp4Qhdj1M9KQWCSht
        pknJfJyAPCI0U+33T7In2knOURHAgh6pEzhZ4YSZ43lBmGSFL6DPJOh99bKtXJmO
        eZLYNPjpy+10NyPyVRTBOMB4/Qa8mGm9cJZlmEGH0jkw6zJQtA+I36WU1v84GosN
        wNU5FhrmAg3sCco/cwIDAQAB
        -----END PUBLIC KEY-----
        """

    /// A key on P-256.
    static let curve = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECwcFufI6fgPbetHcqgpTWEsEoY3r
        v6bUtYMOzsn0T44wYRXfwnTIaW/AztUYKOpHWEDW/Dgo2Ri0UwIS8OTUrw==
        -----END PUBLIC KEY-----
        """
}
