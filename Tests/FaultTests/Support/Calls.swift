import JSON
import Testing

/// An anonymous user, as `signUp` answered.
struct Guest: Sendable {
    let uid: String
    let idToken: String
    let refreshToken: String
}

/// The server did not do what a test needs before it begins.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ reply: Reply) { description = "status \(reply.status): \(reply.text)" }
}

/// The calls of an app.
extension Caller {
    func signUp() async throws -> Guest {
        let reply = try await call("signUp")
        guard reply.status == 200, let uid = reply["localId"], let idToken = reply["idToken"],
            let refreshToken = reply["refreshToken"]
        else { throw Unexpected(reply) }
        return Guest(uid: uid, idToken: idToken, refreshToken: refreshToken)
    }

    func sendLink(to email: String, for guest: Guest? = nil) async throws -> Reply {
        var body: [(String, String)] = [("requestType", "EMAIL_SIGNIN"), ("email", email)]
        if let guest { body.append(("idToken", guest.idToken)) }
        return try await call("sendOobCode", .init(strings: body))
    }

    func redeem(_ code: String, email: String, for guest: Guest? = nil) async throws -> Reply {
        var body: [(String, String)] = [("email", email), ("oobCode", code)]
        if let guest { body.append(("idToken", guest.idToken)) }
        return try await call("signInWithEmailLink", .init(strings: body))
    }

    func lookup(_ idToken: String) async throws -> Reply {
        try await call("lookup", .init(strings: [("idToken", idToken)]))
    }

    func collect(_ ticket: String) async throws -> Reply {
        try await call("signInWithTicket", .init(strings: [("ticket", ticket)]))
    }
}

extension Reply {
    /// The first user of a lookup.
    var uid: String? { json?["users"]?.array?.first?["localId"]?.string }
    var email: String? { json?["users"]?.array?.first?["email"]?.string }
}
