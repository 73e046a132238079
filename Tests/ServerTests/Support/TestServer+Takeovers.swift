import Database
import JSON
import Testing

extension TestServer {
    /// Requests an e-mail that changes the address of a session's user, or that verifies the current one.
    func askForMail(_ idToken: String, changingTo newEmail: String? = nil, headers: [String] = []) throws -> Mail {
        var body = JSONObject()
        body.append("requestType", newEmail == nil ? "VERIFY_EMAIL" : "VERIFY_AND_CHANGE_EMAIL")
        body.append("idToken", .string(idToken))
        if let newEmail { body.append("newEmail", .string(newEmail)) }
        let known = try messages().count
        let answer = try call("accounts:sendOobCode", .object(body), headers: headers)
        try #require(answer.status == 200, "\(answer.text)")
        return try message(after: known)
    }

    /// Applies the code of an e-mail, as an SDK's `applyActionCode` does, optionally with an ID token.
    func apply(_ mail: Mail, idToken: String? = nil) throws -> Answer {
        var body = JSONObject()
        body.append("oobCode", .string(mail.oobCode))
        if let idToken { body.append("idToken", .string(idToken)) }
        return try call("accounts:update", .object(body))
    }

    /// Makes a change that sends a notice to the old address, and waits for the notice, so that a test does not mistake
    /// it for the next e-mail.
    func untilNoticed<Result>(_ change: () throws -> Result) throws -> Result {
        let known = try messages().count
        let result = try change()
        _ = try message(after: known)
        return result
    }

    /// Changes the address of a session's user by a code that is applied without an ID token.
    ///
    /// - Returns: the notice to the old address, with its recovery code.
    func changeAddress(_ idToken: String, to newEmail: String) throws -> Mail {
        let change = try askForMail(idToken, changingTo: newEmail)
        let known = try messages().count
        let answer = try apply(change)
        try #require(answer.status == 200, "\(answer.text)")
        return try message(after: known)
    }

    /// Sends requests at once, each on a separate connection.
    func sendAtOnce(_ requests: [(target: String, body: [UInt8])]) throws -> [Answer] {
        let connections = try requests.map { request in
            let connection = try HTTPConnection(port: port)
            try connection.send(Self.request("POST", request.target, headers: [], body: request.body))
            return connection
        }
        return try connections.map { try $0.answer() }
    }

    /// Returns the audit log's events about a user, the oldest first.
    func auditedEvents(of uid: String) throws -> [String] {
        try withDatabase { transaction in
            try transaction.all("SELECT event FROM audit_log WHERE uid = \(uid) ORDER BY id") { try $0.text(0) }
        }
    }
}
