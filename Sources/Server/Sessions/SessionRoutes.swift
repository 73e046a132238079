internal import Accounts
internal import HTTPServer
internal import Tokens

extension Services {
    /// Adds the calls on sessions: the user's own, and the administrators', which name the project.
    func addSessions(to router: inout Router) {
        let list = handler(ListSessions(services: self), guarding: true)
        router.add(.get, "/v1/sessions", cors: true, guarded(list))
        let end = handler(EndSession(services: self), guarding: true)
        router.add(.delete, "/v1/sessions/{id}", cors: true, guarded(end))
        let users = "/v1/projects/{project}/users/{uid}/sessions"
        router.add(.get, users, guarded(handler(ListUserSessions(services: self))))
        router.add(.get, users + "/{id}", guarded(handler(FindUserSession(services: self))))
        router.add(.delete, users + "/{id}", guarded(handler(EndUserSession(services: self))))
    }
}

extension Request {
    /// The ID of the session that the path names.
    ///
    /// - Throws: ``Refusal`` SESSION_NOT_FOUND for a text that cannot be a session's ID.
    var sessionID: String {
        get throws {
            guard let id = parameters["id"].flatMap({ TokenID(text: $0) }) else {
                throw Refusal(.sessionNotFound).ofValid()
            }
            return id.text
        }
    }

    /// The UID of the user that the path names.
    ///
    /// - Throws: ``RequestError`` `noSuchUser` for a text with U+0000 or of more than 128 bytes.
    var userID: String {
        get throws {
            let uid = parameters["uid"] ?? ""
            guard !uid.utf8.contains(0), uid.utf8.count <= 128 else { throw RequestError.noSuchUser }
            return uid
        }
    }
}
