internal import HTTPServer

extension Services {
    /// Adds the call that gets a URL of the account page, and the page itself.
    ///
    /// The paths answer 404 unless the operator switched the page on.
    func addAccountPage(to router: inout Router) {
        let create = handler(CreateAccountURL(services: self), guarding: true)
        for prefix in Self.identityToolkitPrefixes {
            router.add(.post, "\(prefix)/v1/accounts:createAccountUrl", cors: true, guarded(create))
        }
        let isOn = configuration.accountPage
        let off: Handler = { _ in throw RequestError.notFound }
        func get(_ path: String, _ handler: @escaping Handler) {
            router.add(.get, path, guarded(isOn ? handler : off))
        }
        func post(_ path: String, _ handler: @escaping Handler) {
            router.add(.post, path, maximumBody: 16 << 10, guarded(isOn ? handler : off))
        }
        get(AccountPath.account, handler(ShowAccount(services: self)))
        get(AccountPath.open, handler(AskToOpenAccount(services: self), guarding: true))
        post(AccountPath.open, handler(OpenAccount(services: self), guarding: true))
        get(AccountPath.signIn, handler(ShowAccountSignIn(services: self)))
        post(AccountPath.signIn, handler(RequestAccountSignIn(services: self)))
        post(AccountPath.confirm, handler(ConfirmAccountSignIn(services: self)))
        post(AccountPath.code, handler(SignInToAccount(services: self)))
        get(AccountPath.link, handler(ShowAccountLink(services: self), guarding: true))
        post(AccountPath.link, handler(SignInToAccountByLink(services: self), guarding: true))
        post(AccountPath.email, handler(ChangeAccountEmail(services: self)))
        post(AccountPath.endSession, handler(EndAccountSession(services: self)))
        get(AccountPath.delete, handler(AskToDeleteAccount(services: self)))
        post(AccountPath.delete, handler(DeleteAccount(services: self)))
        post(AccountPath.signOut, handler(SignOutOfAccountPage(services: self)))
        get(AccountPath.export, exportAccount)
    }
}
