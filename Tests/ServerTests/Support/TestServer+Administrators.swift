import JSON
import Server
import Testing

extension TestServer {
    /// The bearer that development mode accepts for an administrator.
    static let owner = "owner"

    /// Makes an administrator's call, on the project's path or, with `scoped` off, on the clients' path.
    func admin(_ call: String, _ body: JSONValue = [:], as bearer: String = owner, scoped: Bool = true) throws -> Answer
    {
        try send(
            "POST",
            (scoped ? "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/" : "/v1/") + call,
            headers: ["Content-Type: application/json", "Authorization: Bearer \(bearer)"],
            body: body.serialized()
        )
    }

    /// Makes a user as an administrator, and returns the UID.
    @discardableResult
    func create(_ body: JSONValue) throws -> String {
        let answer = try admin("accounts", body)
        try #require(answer.status == 200, "\(answer.text)")
        return answer["localId"]
    }

    /// Returns the user objects of a lookup as an administrator.
    func find(_ body: JSONValue, as bearer: String = owner) throws -> [JSONValue] {
        let answer = try admin("accounts:lookup", body, as: bearer)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json["users"]?.array ?? []
    }

    /// Returns the user object of a UID, as an administrator.
    func find(uid: String) throws -> JSONValue {
        try #require(try find(["localId": [.string(uid)]]).first)
    }

    /// Changes a user as an administrator.
    func change(_ uid: String, _ members: JSONValue) throws -> Answer {
        var object = members.object ?? JSONObject()
        object["localId"] = .string(uid)
        return try admin("accounts:update", .object(object))
    }

    /// Whether a user never had a credential.
    func isGuest(_ uid: String) throws -> Bool {
        var isGuest = false
        try withOperator { isGuest = try $0.user(uid).isAnonymous }
        return isGuest
    }

    /// Returns the administrators.
    func administrators() throws -> [String] {
        var uids: [String] = []
        try withOperator { uids = try $0.administrators() }
        return uids
    }

    /// Sends an administrator's calls at the same moment, each on a separate connection.
    func adminAtOnce(_ calls: [(name: String, body: JSONValue)]) throws -> [Answer] {
        let connections = try calls.map { _ in try HTTPConnection(port: port) }
        for (connection, call) in zip(connections, calls) {
            try connection.send(
                Self.request(
                    "POST",
                    "/v1/projects/demo-latchkey/\(call.name)",
                    headers: ["Authorization: Bearer \(Self.owner)"],
                    body: call.body.serialized()
                )
            )
        }
        return try connections.map { try $0.answer() }
    }

    /// Lists a page of users as an administrator.
    func list(_ query: String = "") throws -> Answer {
        try send(
            "GET",
            "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:batchGet\(query)",
            headers: ["Authorization: Bearer owner"]
        )
    }
}

extension JSONValue {
    /// The names of an object's members, in order.
    var names: [String] { object?.members.map(\.name) ?? [] }
    /// The provider ids of a user object.
    var providers: [String] { self["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? [] }
}
