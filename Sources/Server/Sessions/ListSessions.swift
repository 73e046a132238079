internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `GET /v1/sessions`: lists the active sessions of the caller's user.
struct ListSessions: ReadingEndpoint {
    // Otherwise the list could lack the session that presents the token, if it ends between two queries.
    static let needsSnapshot = true

    let services: Services

    func decode(_ request: Request) throws -> PresentedToken { try services.bearerToken(of: request) }

    func transact(_ token: PresentedToken, in transaction: Transaction) throws -> ListedSessions {
        try services.flows.sessions(of: token, in: transaction)
    }

    func render(_ listed: ListedSessions) -> Response { .sessions(listed) }
}

/// `GET /v1/projects/{project}/users/{uid}/sessions`: lists the active sessions of a user, for an administrator.
struct ListUserSessions: ReadingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> String {
        try services.checkAdministrator(call, changing: false)
        return try call.request.userID
    }

    func transact(_ uid: String, in transaction: Transaction) throws -> ListedSessions {
        guard let listed = try services.flows.sessions(ofUser: uid, in: transaction) else {
            throw RequestError.noSuchUser
        }
        return listed
    }

    func render(_ listed: ListedSessions) -> Response { .sessions(listed) }
}

/// `GET /v1/projects/{project}/users/{uid}/sessions/{id}`: returns an active session, for a back end that checks a
/// cookie.
struct FindUserSession: ReadingEndpoint {
    struct Input: Sendable {
        let uid: String
        let id: String
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        try services.checkAdministrator(call, changing: false)
        return Input(uid: try call.request.userID, id: try call.request.sessionID)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Session {
        try services.flows.session(input.id, ofUser: input.uid, in: transaction)
    }

    func render(_ session: Session) -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.members(of: session)
        json.endObject()
        return .json(json.bytes)
    }
}

extension Response {
    /// A list of sessions.
    fileprivate static func sessions(_ listed: ListedSessions) -> Response {
        var json = JSONWriter(capacity: 32 + listed.sessions.count * 224)
        json.beginObject()
        json.beginArray("sessions")
        for session in listed.sessions {
            json.beginObject()
            json.members(of: session)
            if let current = listed.current { json.member("current", session.sid == current) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}

extension JSONWriter {
    /// Writes the members of a session into a JSON object that has begun.
    ///
    /// The device is left out if it is unknown.
    fileprivate mutating func members(of session: Session) {
        member("id", session.sid)
        if !session.device.isEmpty { member("device", session.device) }
        member("signInProvider", session.provider.rawValue)
        member("createdAt", Timestamp.rfc3339(milliseconds: session.createdAt))
        member("lastUsedAt", Timestamp.rfc3339(milliseconds: session.lastUsedAt))
    }
}
