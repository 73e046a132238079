internal import Accounts
internal import Database
internal import HTTPServer

extension Services {
    /// How long ago an administrator may have signed in to change anything, in seconds.
    private static let longestSignIn: Int64 = 15 * 60

    /// Lets an administrator of the project in the path pass.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - changing: whether the call changes anything, which asks for a fresh sign-in of who comes by an ID token.
    /// - Returns: what the call is authorized by.
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION for a client (contract, 1.2) or CREDENTIAL_TOO_OLD_LOGIN_AGAIN,
    ///   ``RequestError`` for a wrong bearer or another project.
    @discardableResult
    func checkAdministrator(_ request: Request, changing: Bool) throws -> AdministratorAuthority {
        try checkAdministrator(try caller(of: request), request, changing: changing)
    }

    /// The body of an administrator's call, once its caller may make it: first who calls, then what, then whether they may.
    ///
    /// - Throws: as ``checkAdministrator(_:changing:)`` does, or ``RequestError`` for the body.
    func administratorsBody(of request: Request, changing: Bool) throws -> RequestBody {
        try administratorsCall(of: request, changing: changing).body
    }

    /// The body of an administrator's call, and what the call is authorized by.
    ///
    /// - Throws: as ``administratorsBody(of:changing:)`` does.
    func administratorsCall(
        of request: Request,
        changing: Bool
    ) throws -> (body: RequestBody, authority: AdministratorAuthority) {
        let caller = try caller(of: request)
        let body = try RequestBody(request)
        let authority = try checkAdministrator(caller, request, changing: changing)
        if let project = try body.nonEmptyString("targetProjectId") { try checkProject(project) }
        return (body, authority)
    }

    private func checkAdministrator(
        _ caller: Caller,
        _ request: Request,
        changing: Bool
    ) throws -> AdministratorAuthority {
        guard case .administrator(let token) = caller else {
            throw Refusal(
                .insufficientPermission,
                detail: "Only authenticated requests can specify target_project_id."
            )
        }
        if let project = request.parameters["project"] { try checkProject(project) }
        if changing, let token, clock() / 1000 - token.authTime > Self.longestSignIn {
            throw Refusal(.credentialTooOld)
        }
        return token == nil ? .key : .idToken
    }

    /// In development every project is the one that there is.
    private func checkProject(_ project: String) throws {
        guard configuration.mode == .development || project == configuration.projectID else {
            throw RequestError.forbidden("This server is not of this project.")
        }
    }

    /// A bearer that is the ID token of one of the administrators, whose session is alive; `nil` for any other.
    func administratorsToken(_ text: String) throws -> PresentedToken? {
        guard let token = try? idTokens.verify(text, at: clock() / 1000) else { return nil }
        // A head is judged by what this node knew a moment ago; the call itself is asked for again.
        let isAdministrator = try lookUp(presuming: wasAdministrator(token.uid)) { [flows] in
            try flows.isAdministrator(token, in: $0)
        }
        return isAdministrator ? token : nil
    }
}
