import Foundation
import JSON
import Testing
import Tokens

extension TestServer {
    private static let host = "/identitytoolkit.googleapis.com"

    /// Makes a call as an Admin SDK does: below the project, with the host before the path and the owner's bearer.
    ///
    /// - Parameters:
    ///   - call: the part after the project, such as `/accounts:lookup` or `:queryAccounts`.
    ///   - body: sent as JSON; no body if `nil`.
    ///   - method: the method.
    ///   - version: the version of the API.
    func owner(_ call: String, _ body: JSONValue? = [:], method: String = "POST", version: String = "v1") throws
        -> Answer
    {
        try send(
            method,
            "\(Self.host)/\(version)/projects/demo-latchkey\(call)",
            headers: ["Authorization: Bearer owner", "Content-Type: application/json"],
            body: body?.serialized() ?? []
        )
    }

    /// Calls a client's path with the owner's bearer.
    func unscopedOwner(_ call: String, _ body: JSONValue) throws -> Answer {
        try send(
            "POST",
            "\(Self.host)/v1/\(call)",
            headers: ["Authorization: Bearer owner", "Content-Type: application/json"],
            body: body.serialized()
        )
    }

    /// Makes a user as an administrator, and returns the UID.
    func make(_ members: JSONValue) throws -> String {
        let answer = try owner("/accounts", members)
        try #require(answer.status == 200, "\(answer.text)")
        return answer["localId"]
    }

    /// Returns a user as administrators see them.
    func found(_ uid: String) throws -> JSONValue {
        let answer = try owner("/accounts:lookup", ["localId": [.string(uid)]])
        return try #require(answer.json["users"]?.array?.first, "\(answer.text)")
    }

    /// Signs in with claims of a provider without a signature, as the emulator's clients do.
    func signIn(provider: String, _ claims: JSONValue, _ more: JSONValue = [:]) throws -> Answer {
        var members = JSONObject()
        members.append("requestUri", "http://localhost")
        members.append("postBody", .string("&id_token=\(unsignedToken(claims))&providerId=\(provider)"))
        members.append("returnSecureToken", true)
        for (name, value) in more.object?.members ?? [] { members[name] = value }
        return try call("accounts:signInWithIdp", .object(members))
    }

    /// Returns the codes that the development helpers list.
    func oobCodes() throws -> [JSONValue] {
        try send("GET", "/emulator/v1/projects/demo-latchkey/oobCodes").json["oobCodes"]?.array ?? []
    }

    /// Changes the project's configuration, as test suites for the emulator do.
    func configure(_ change: JSONValue) throws {
        let answer = try send(
            "PATCH",
            "/emulator/v1/projects/demo-latchkey/config",
            headers: ["Content-Type: application/json"],
            body: change.serialized()
        )
        try #require(answer.status == 200, "\(answer.text)")
    }
}

/// Makes a JWT with `alg` `none` and an empty signature.
func unsignedToken(_ claims: JSONValue) -> String {
    let header: JSONValue = ["alg": "none", "typ": "JWT"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))."
}
