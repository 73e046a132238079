package import HTTPServer

extension Services {
    /// Everything the server answers.
    package func router() -> Router {
        var router = Router()
        if configuration.mode == .production {
            router.setWebCallers(WebOrigins(configuration, logger: logger))
        }
        addNotBuilt(to: &router)
        addIdentityToolkit(to: &router)
        addClientConfig(to: &router)
        addProjectConfig(to: &router)
        addDocuments(to: &router)
        addUsernames(to: &router)
        addSessions(to: &router)
        addProjectCalls(to: &router)
        addAdministratorsCalls(to: &router)
        addImport(to: &router)
        addPages(to: &router)
        addEmulator(to: &router)
        addOperations(to: &router)
        addDescription(to: &router)
        addLegacyAliases(to: &router)
        addFallback(to: &router)
        return router
    }

    /// The client calls of Identity Toolkit and ours beside them, with the host prefix that SDKs send and without it.
    private func addIdentityToolkit(to router: inout Router) {
        // Beside each client's handler the one of administrators, where their call is another one (contract, 1.2).
        let calls: [(String, client: Handler, administrator: Handler?)] = [
            ("accounts:signUp", handler(SignUp(services: self)), handler(CreateUser(services: self))),
            ("accounts:sendOobCode", handler(SendOobCode(services: self)), handler(MakeOobCode(services: self))),
            ("accounts:signInWithEmailLink", handler(SignInWithEmailLink(services: self), guarding: true), nil),
            ("accounts:signInWithIdp", handler(SignInWithIdp(services: self), guarding: true), nil),
            ("accounts:signInWithTicket", handler(SignInWithTicket(services: self), guarding: true), nil),
            ("accounts:signInWithCustomToken", handler(SignInWithCustomToken(services: self), guarding: true), nil),
            ("accounts:exchangeFirebaseToken", handler(ExchangeFirebaseToken(services: self), guarding: true), nil),
            ("accounts:merge", handler(MergeUsers(services: self), guarding: true), nil),
            ("accounts:createAuthUri", handler(CreateAuthURI(services: self)), nil),
            ("accounts:signInWithPassword", signInWithPassword, nil),
            ("accounts:signOut", handler(SignOut(services: self), guarding: true), nil),
            ("accounts:lookup", handler(Lookup(services: self), guarding: true), handler(FindUsers(services: self))),
            ("accounts:update", handler(Update(services: self), guarding: true), handler(ChangeUser(services: self))),
            ("accounts:delete", handler(Delete(services: self), guarding: true), handler(DeleteUser(services: self))),
            ("accounts:resetPassword", handler(ResetPassword(services: self), guarding: true), nil),
        ]
        for prefix in Self.identityToolkitPrefixes {
            for (call, client, administrator) in calls {
                let handler = byCaller(client: client, administrator: administrator)
                router.add(.post, "\(prefix)/v1/\(call)", cors: true, guarded(handler))
            }
        }
        let token = handler(Token(services: self), guarding: true)
        for path in Self.tokenPaths {
            router.add(.post, path, cors: true, guarded(token))
        }
    }

    /// Web pages may read that there is nothing, but for what pages of ours could be.
    private func addFallback(to router: inout Router) {
        let own = ["/auth/", "/admin", "/mailbox", "/demo"]
        router.setFallback(cors: { path in !own.contains { path.hasPrefix($0) } }) { _ in
            throw RequestError.notFound
        }
    }

    /// Where Identity Toolkit's calls are: at the root, and under the host that SDKs put before the path (contract, 1.1).
    static let identityToolkitPrefixes = ["", "/identitytoolkit.googleapis.com"]

    /// Where refresh tokens are exchanged.
    static let tokenPaths = ["/v1/token", "/securetoken.googleapis.com/v1/token"]

    /// A handler that goes by who calls, which the presence of a bearer decides (contract, 1.2).
    func byCaller(client: @escaping Handler, administrator: Handler?) -> Handler {
        guard let administrator else { return client }
        return { request in try (self.bearer(of: request) == nil ? client : administrator)(request) }
    }

    /// A handler that may look things up, and that development mode keeps to this machine.
    func guarded(_ handler: @escaping Handler) -> Handler { keptToDevelopers(lookingUp(handler)) }

    /// A handler that development mode keeps to this machine, and that must not wait: it may judge a request by its head.
    func keptToDevelopers(_ handler: @escaping Handler) -> Handler {
        guard configuration.mode == .development else { return handler }
        let guardian = DevelopmentGuard(additionalHosts: configuration.developmentHosts)
        return { request in
            try guardian.check(request)
            return try handler(request)
        }
    }
}
