package import HTTPServer

extension Services {
    /// Everything the server answers.
    package func router() -> Router {
        var router = Router()
        addIdentityToolkit(to: &router)
        addDocuments(to: &router)
        addUsernames(to: &router)
        addProjectCalls(to: &router)
        addPages(to: &router)
        addOperations(to: &router)
        return router
    }

    /// The client calls of Identity Toolkit and ours beside them, with the host prefix that SDKs send and without it.
    private func addIdentityToolkit(to router: inout Router) {
        let calls: [(String, Handler)] = [
            ("accounts:signUp", handler(SignUp(services: self))),
            ("accounts:sendOobCode", handler(SendOobCode(services: self))),
            ("accounts:signInWithEmailLink", handler(SignInWithEmailLink(services: self), guarding: true)),
            ("accounts:signInWithTicket", handler(SignInWithTicket(services: self), guarding: true)),
            ("accounts:merge", handler(MergeUsers(services: self), guarding: true)),
            ("accounts:signOut", handler(SignOut(services: self), guarding: true)),
            ("accounts:lookup", handler(Lookup(services: self), guarding: true)),
            ("accounts:update", handler(Update(services: self), guarding: true)),
            ("accounts:delete", handler(Delete(services: self), guarding: true)),
            ("accounts:resetPassword", handler(ResetPassword(services: self), guarding: true)),
        ]
        for prefix in ["", "/identitytoolkit.googleapis.com"] {
            for (call, handler) in calls {
                router.add(.post, "\(prefix)/v1/\(call)", cors: true, guarded(handler))
            }
        }
        let token = handler(Token(services: self), guarding: true)
        for prefix in ["", "/securetoken.googleapis.com"] {
            router.add(.post, "\(prefix)/v1/token", cors: true, guarded(token))
        }
        let shared = ["/v1/", "/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/"]
        router.setFallback(cors: { path in shared.contains { path.hasPrefix($0) } }) { _ in
            throw RequestError.notFound
        }
    }

    /// A handler that development mode keeps to this machine.
    func guarded(_ handler: @escaping Handler) -> Handler {
        guard configuration.mode == .development else { return handler }
        let guardian = DevelopmentGuard(additionalHosts: configuration.developmentHosts)
        return { request in
            try guardian.check(request)
            return try handler(request)
        }
    }
}
