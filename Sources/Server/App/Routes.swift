package import HTTPServer

extension Services {
    /// Makes the router with all routes of the server, except those of the development mailbox.
    package func router() -> Router {
        var router = Router(meter: metrics.meter)
        router.setClients(admission)
        if configuration.mode == .production {
            router.setWebCallers(webOrigins)
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
        addAccountPage(to: &router)
        addConsole(to: &router)
        addWebClient(to: &router)
        addDemo(to: &router)
        addEmulator(to: &router)
        addOperations(to: &router)
        addDescription(to: &router)
        addLegacyAliases(to: &router)
        addFallback(to: &router)
        return router
    }

    /// Adds the calls at `/v1/accounts:…` for clients, Identity Toolkit's and Latchkey's own such as `accounts:merge`,
    /// and the exchange of refresh tokens, each with and without the host prefix that SDKs send.
    private func addIdentityToolkit(to router: inout Router) {
        // Beside each client's handler stands the administrators' handler, if their call differs (contract, 1.2).
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
            ("accounts:signInWithPassword", authorized(signInWithPassword), nil),
            ("accounts:signOut", handler(SignOut(services: self), guarding: true), nil),
            ("accounts:lookup", handler(Lookup(services: self), guarding: true), handler(FindUsers(services: self))),
            ("accounts:update", handler(Update(services: self), guarding: true), handler(ChangeUser(services: self))),
            ("accounts:delete", handler(Delete(services: self), guarding: true), handler(DeleteUser(services: self))),
            ("accounts:resetPassword", handler(ResetPassword(services: self), guarding: true), nil),
            ("accounts:querySignInLink", handler(QuerySignInLink(services: self), guarding: true), nil),
            ("accounts:denySignInLink", handler(DenySignInLink(services: self), guarding: true), nil),
        ]
        for prefix in Self.identityToolkitPrefixes {
            for (call, client, administrator) in calls {
                let handler = byCaller(
                    client: forwarding(.named(call), client),
                    administrator: administrator
                )
                router.add(.post, "\(prefix)/v1/\(call)", cors: true, guarded(handler))
            }
        }
        let token = forwarding(.token, handler(Token(services: self), guarding: true))
        for path in Self.tokenPaths {
            router.add(.post, path, cors: true, guarded(token))
        }
    }

    /// Responds to unknown paths with status 404: browsers get a page, other clients the envelope of errors.
    ///
    /// Web pages of other origins may read the response, except under the paths of the server's own pages.
    private func addFallback(to router: inout Router) {
        let own = ["/auth/", "/admin", "/console", "/mailbox", "/demo"]
        router.setFallback(cors: { path in !own.contains { path.hasPrefix($0) } }) { request in
            guard request.isForPage else { throw RequestError.notFound }
            return .response(self.pages.notFound(locale: self.locale(of: request)))
        }
    }

    /// The prefixes of Identity Toolkit's calls: none, and the host that SDKs put before the path (contract, 1.1).
    static let identityToolkitPrefixes = ["", "/identitytoolkit.googleapis.com"]

    /// The paths at which refresh tokens are exchanged.
    static let tokenPaths = ["/v1/token", "/securetoken.googleapis.com/v1/token"]

    /// Returns a handler that passes requests with a bearer to `administrator` and all others to `client` (contract,
    /// 1.2).
    ///
    /// Without `administrator`, `client` gets all.
    func byCaller(client: @escaping Handler, administrator: Handler?) -> Handler {
        guard let administrator else { return client }
        return { request in try (self.bearer(of: request) == nil ? client : administrator)(request) }
    }

    /// Returns a handler that in development mode refuses requests from outside this machine (``DevelopmentGuard``); in
    /// production, the handler itself.
    func guarded(_ handler: @escaping Handler) -> Handler {
        guard let developmentGuard else { return handler }
        return { request in
            try developmentGuard.check(request)
            return try handler(request)
        }
    }
}

extension Request {
    /// Whether a browser asks for a page, and not a script for data.
    fileprivate var isForPage: Bool {
        [.get, .head].contains(method) && header("accept")?.lowercased().contains("text/html") == true
    }
}
