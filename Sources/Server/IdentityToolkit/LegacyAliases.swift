internal import Accounts
internal import HTTPServer

extension Services {
    /// Adds routes for the names that calls had in version 3 of Identity Toolkit, which Apple's SDKs still use; each
    /// accepts any method (contract, 1.4).
    ///
    /// Must be called after all other routes were added, because it uses their handlers.
    func addLegacyAliases(to router: inout Router) {
        for (old, method, path) in Self.legacyNames {
            router.alias("\(Self.legacyTarget)/\(path)", method, as: Self.anyMethod, at: "\(Self.legacyPrefix)/\(old)")
        }
        let signOutUser = authorized { _ in
            throw RequestError.notImplemented("Latchkey does not support signOutUser; use accounts:signOut.")
        }
        for method in Self.anyMethod {
            router.add(method, "\(Self.legacyPrefix)/signOutUser", cors: true, guarded(signOutUser))
        }
        addProjectAlias("downloadAccount", of: .get, "accounts:batchGet", to: &router) { body in
            var query = ""
            if let count = try body.int64("maxResults") { query += "maxResults=\(count)&" }
            if let token = try body.nonEmptyString("nextPageToken") {
                query += "nextPageToken=\(PercentEncoding.component(token))&"
            }
            return query
        }
        addProjectAlias("uploadAccount", of: .post, "accounts:batchCreate", to: &router) { _ in "" }
    }

    /// Adds the old name of an administrators' call.
    ///
    /// The old call names the project in its body, the current one in its path.
    ///
    /// - Parameters:
    ///   - old: the old name.
    ///   - method: the method of the current call.
    ///   - call: the current name.
    ///   - router: the router.
    ///   - query: makes the query of the current call from the body of the old one.
    private func addProjectAlias(
        _ old: String,
        of method: Method,
        _ call: String,
        to router: inout Router,
        query: @escaping @Sendable (RequestBody) throws -> String
    ) {
        let pattern = "\(Self.legacyTarget)/projects/{project}/\(call)"
        guard let target = router.route(method, pattern) else { return }
        let handler = authorized { call in
            let request = call.request
            try self.refuseClients(call.caller, request)
            let body = try RequestBody(request)
            guard let project = try body.nonEmptyString("targetProjectId") else {
                throw Refusal(.insufficientPermission)
            }
            try body.refuseTenant()
            let path = "\(Self.legacyTarget)/projects/\(PercentEncoding.component(project))/\(call)"
            return try target.handler(
                request.moved(
                    method,
                    to: path,
                    query: query(body) + request.query,
                    parameters: ["project": project]
                )
            )
        }
        for other in Self.anyMethod {
            router.add(
                other,
                "\(Self.legacyPrefix)/\(old)",
                cors: true,
                maximumBody: target.maximumBody,
                beforeBody: { request in try self.refuseClients(self.callerByHead(of: request), request) },
                guarded(handler)
            )
        }
    }

    /// Refuses callers that are not administrators, before their body is parsed.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION.
    private func refuseClients(_ caller: Caller, _ request: Request) throws {
        guard caller.isAdministrator else { throw insufficientPermission(nil, request) }
    }

    /// The old paths of administrators' calls that name the project in their body.
    static let legacyProjectPaths: Set<String> = ["\(legacyPrefix)/downloadAccount", "\(legacyPrefix)/uploadAccount"]
    static let legacyPrefix = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
    private static let legacyTarget = "/identitytoolkit.googleapis.com/v1"
    private static let anyMethod: [Method] = [.get, .post, .put, .patch, .delete]

    /// The old names of the calls, each with the method and path of the current call.
    private static let legacyNames: [(old: String, Method, path: String)] = [
        ("createAuthUri", .post, "accounts:createAuthUri"),
        ("deleteAccount", .post, "accounts:delete"),
        ("emailLinkSignin", .post, "accounts:signInWithEmailLink"),
        ("getAccountInfo", .post, "accounts:lookup"),
        ("getOobConfirmationCode", .post, "accounts:sendOobCode"),
        ("getProjectConfig", .get, "projects"),
        ("getRecaptchaParam", .get, "recaptchaParams"),
        ("publicKeys", .get, "publicKeys"),
        ("resetPassword", .post, "accounts:resetPassword"),
        ("sendVerificationCode", .post, "accounts:sendVerificationCode"),
        ("setAccountInfo", .post, "accounts:update"),
        ("signupNewUser", .post, "accounts:signUp"),
        ("verifyAssertion", .post, "accounts:signInWithIdp"),
        ("verifyCustomToken", .post, "accounts:signInWithCustomToken"),
        ("verifyPassword", .post, "accounts:signInWithPassword"),
        ("verifyPhoneNumber", .post, "accounts:signInWithPhoneNumber"),
    ]
}
