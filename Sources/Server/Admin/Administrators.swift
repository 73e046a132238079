internal import Accounts
internal import Database
internal import HTTPServer

extension Services {
    /// The longest time since an administrator's sign-in, in seconds, for which their ID token allows changes.
    private static let longestSignIn: Int64 = 15 * 60

    /// Checks that the caller is an administrator, and that the project in the path, if there is one, is this server's.
    ///
    /// In development every project is accepted.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - changing: whether the call changes anything, which requires a sign-in in the last 15 minutes if the caller
    ///     presents an ID token.
    /// - Returns: the caller, as the audit log names them.
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION if the caller is no administrator (contract, 1.2), or a read-only one
    ///   and the call changes something,
    ///   CREDENTIAL_TOO_OLD_LOGIN_AGAIN if the sign-in is too old or too far in the future; ``RequestError`` for
    ///   another project.
    @discardableResult
    func checkAdministrator(_ call: AuthorizedRequest, changing: Bool) throws -> AuditActor {
        guard case .administrator(let token, let role) = call.caller else {
            throw insufficientPermission(
                "Only authenticated requests can specify target_project_id.",
                call.request
            )
        }
        if let project = call.request.parameters["project"] { try checkProject(project) }
        if changing, role == .readOnly { throw Refusal.readOnlyAdministrator }
        if changing, let token {
            // A sign-in far in the future comes from a node whose clock was wrong.
            let now = clock() / 1000
            guard (now - Self.longestSignIn...now + IDTokens.longestAhead).contains(token.authTime) else {
                throw Refusal(.credentialTooOld)
            }
        }
        return try token.map { AuditActor(.administrator, $0.uid) } ?? keyHolder(call.request)
    }

    /// Refuses a call of a read-only administrator that would list all users, because such an administrator exports
    /// nothing.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION.
    func refuseExport(by call: AuthorizedRequest) throws {
        if case .administrator(_, .readOnly) = call.caller { throw Refusal.readOnlyAdministrator }
    }

    /// Parses the body of an administrator's call, then checks the caller's permission and the projects that the path
    /// and `targetProjectId` in the body name, if any.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - changing: as in ``checkAdministrator(_:changing:)``.
    /// - Returns: the body.
    /// - Throws: as ``checkAdministrator(_:changing:)`` does, or ``RequestError`` for the body.
    func administratorsBody(of call: AuthorizedRequest, changing: Bool) throws -> RequestBody {
        try administratorsCall(of: call, changing: changing).body
    }

    /// Does the same as ``administratorsBody(of:changing:)``, and also returns the caller.
    ///
    /// - Throws: as ``administratorsBody(of:changing:)`` does.
    func administratorsCall(
        of call: AuthorizedRequest,
        changing: Bool
    ) throws -> (body: RequestBody, actor: AuditActor) {
        let body = try RequestBody(call.request)
        let actor = try checkAdministrator(call, changing: changing)
        try body.refuseTenant()
        if let project = try body.nonEmptyString("targetProjectId") { try checkProject(project) }
        return (body, actor)
    }

    /// Checks that a project's name is that of this server.
    ///
    /// In development every name is accepted.
    ///
    /// - Throws: ``RequestError`` `forbidden`.
    private func checkProject(_ project: String) throws {
        guard configuration.mode == .development || project == configuration.projectID else {
            throw RequestError.forbidden("This server belongs to another project.")
        }
    }
}
