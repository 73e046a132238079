internal import Accounts
internal import Crypto
internal import Tokens

/// Secrets, keys and tokens that are the same in every run, so that an input that fails once fails again.
///
/// An input may name a token by a letter after a `$`, which ``fill(_:)`` replaces. This lets the fuzzer get past
/// signatures that it could never guess.
enum World {
    /// Seconds since 1970.
    static let now: Int64 = 1_900_000_000
    static let issuer = "https://auth.example.com/fuzz"
    static let audience = "fuzz"
    static let address = "ada@example.com"

    static let secretText = "fuzzing-secret-fuzzing-secret-fuzzing"
    static let olderSecretText = "older-fuzzing-secret-older-fuzzing-secret"
    static let secrets = must { try ServerSecrets(text: "\(secretText) \(olderSecretText)") }
    static let olderSecrets = must { try ServerSecrets(text: olderSecretText) }

    /// An Ed25519 key (RFC 8410): its signatures are deterministic, so that each text has exactly one.
    static let key = must {
        let prefix: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
        return try TokenSigningKey(.edDSA, pkcs8: SecureBytes(prefix + [UInt8](repeating: 7, count: 32)))
    }
    static let keySet = KeySet(signer: key)

    static func id(_ number: UInt8) -> TokenID {
        must { TokenID(bytes: [UInt8](repeating: number, count: 16)) }
    }

    static func code(_ number: UInt8, _ purpose: ActionCode.Purpose, life: Int64 = 600) -> String {
        must { try ActionCode.make(id: id(number), purpose: purpose, expiry: now + life, secrets: secrets) }
    }

    static func ticket(_ number: UInt8) -> String {
        must { try TicketToken.make(id: id(number), secrets: secrets) }
    }

    static func refreshToken(_ number: UInt8, generation: Int64 = 1) -> String {
        must { try RefreshToken.make(session: id(number), generation: generation, secrets: secrets) }
    }

    static func idToken(uid: String, session number: UInt8, provider: String) -> String {
        let claims = """
            {"iss":"\(issuer)","aud":"\(audience)","sub":"\(uid)","user_id":"\(uid)","sid":"\(id(number).text)",\
            "auth_time":\(now - 60),"iat":\(now - 60),"exp":\(now + 3000),"firebase":{"sign_in_provider":"\(provider)"}}
            """
        return must { try JWT.sign(Array(claims.utf8), with: key) }
    }

    /// The replacement for each letter after a `$`.
    private static let words: [UInt8: [UInt8]] = {
        let words: [Character: String] = [
            "A": idToken(uid: "guest", session: 1, provider: "anonymous"),
            "P": idToken(uid: "person", session: 2, provider: "password"),
            "G": idToken(uid: "nobody", session: 9, provider: "anonymous"),
            "R": refreshToken(1),
            "Q": refreshToken(2),
            "N": refreshToken(1, generation: 7),
            "S": code(11, .emailSignIn),
            "V": code(12, .verifyEmail),
            "C": code(13, .verifyAndChangeEmail),
            "B": code(14, .recoverEmail),
            "U": code(15, .emailSignIn),
            "X": code(16, .emailSignIn, life: -1),
            "M": code(99, .emailSignIn),
            "T": ticket(21),
            "O": ticket(22),
            "L": ticket(99),
            "D": must {
                try SignInCode.code(.eightDigits, ticket: id(21), keyID: secrets.newest.keyID, secrets: secrets)
            },
            "E": must {
                try SignInCode.confirmation(.eightDigits, ticket: id(21), keyID: secrets.newest.keyID, secrets: secrets)
            },
        ]
        return words.reduce(into: [:]) { result, word in
            result[word.key.asciiValue ?? 0] = Array(word.value.utf8)
        }
    }()

    /// Replaces the token names in an input.
    static func fill(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var filled: [UInt8] = []
        var isMarked = false
        for byte in bytes {
            if isMarked {
                filled += words[byte] ?? [dollar, byte]
                isMarked = false
            } else if byte == dollar {
                isMarked = true
            } else {
                filled.append(byte)
            }
        }
        return isMarked ? filled + [dollar] : filled
    }

    private static let dollar = UInt8(ascii: "$")
}
