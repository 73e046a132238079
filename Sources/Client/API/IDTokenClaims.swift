#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The claims of an ID token about its user.
///
/// The token came from the server itself over the transport, so its signature is not checked here. Other code must not
/// trust these claims without a check.
struct IDTokenClaims: Decodable {
    let sub: String
    let sid: String?
    let email: String?
    let emailVerified: Bool?
    let name: String?
    let picture: String?
    let firebase: Firebase?

    struct Firebase: Decodable {
        let signInProvider: String?

        enum CodingKeys: String, CodingKey {
            case signInProvider = "sign_in_provider"
        }
    }

    enum CodingKeys: String, CodingKey {
        case sub, sid, email, name, picture, firebase
        case emailVerified = "email_verified"
    }

    /// Parses the payload of a JWT; `nil` if it is invalid.
    init?(unverified token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = parts[1].map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        while !base64.count.isMultiple(of: 4) { base64.append("=") }
        guard let payload = Data(base64Encoded: String(base64)),
            let claims = try? JSONDecoder().decode(Self.self, from: payload)
        else { return nil }
        self = claims
    }

    var isAnonymous: Bool { firebase?.signInProvider == "anonymous" }

    /// The user, as far as the token describes the user: without username, sign-in methods and times.
    var user: User {
        User(
            uid: sub,
            email: email,
            isEmailVerified: emailVerified ?? false,
            displayName: name,
            photoURL: picture.flatMap { URL(string: $0) },
            username: nil,
            isAnonymous: isAnonymous,
            providers: [],
            creationDate: nil,
            lastSignInDate: nil
        )
    }
}
