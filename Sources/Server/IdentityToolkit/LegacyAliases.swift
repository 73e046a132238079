internal import Accounts
internal import HTTPServer

extension Services {
    /// The names that calls had in version 3, which Apple's SDKs still send; by any method, as clients used to (contract, 1.4).
    ///
    /// They come after all other routes, whose handlers they share.
    func addLegacyAliases(to router: inout Router) {
        for (old, method, path) in Self.legacyNames {
            router.alias("\(Self.legacyTarget)/\(path)", method, as: Self.anyMethod, at: "\(Self.legacyPrefix)/\(old)")
        }
        let signOutUser: Handler = { request in
            _ = try self.caller(of: request)
            throw RequestError.notImplemented("Latchkey does not answer signOutUser; its own call is accounts:signOut.")
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

    /// An alias of a call that names the project in its path, where the old one named it in its body.
    private func addProjectAlias(
        _ old: String,
        of method: Method,
        _ call: String,
        to router: inout Router,
        query: @escaping @Sendable (RequestBody) throws -> String
    ) {
        let pattern = "\(Self.legacyTarget)/projects/{project}/\(call)"
        guard let target = router.route(method, pattern) else { return }
        let handler: Handler = { request in
            try self.checkBearer(request)
            let body = try RequestBody(request)
            guard let project = try body.nonEmptyString("targetProjectId") else {
                throw Refusal(.insufficientPermission)
            }
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
                beforeBody: checkBearer,
                guarded(handler)
            )
        }
    }

    /// Refuses clients, whose body need not be looked at then.
    private func checkBearer(_ request: Request) throws {
        guard try caller(of: request).isAdministrator else { throw Refusal(.insufficientPermission) }
    }

    static let legacyPrefix = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
    private static let legacyTarget = "/identitytoolkit.googleapis.com/v1"
    private static let anyMethod: [Method] = [.get, .post, .put, .patch, .delete]

    /// What was called what.
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
