internal import HTTPServer

extension Services {
    /// Adds the console.
    ///
    /// Its paths answer 404 on listeners that do not serve it (``Configuration/servesConsole(on:)``).
    func addConsole(to router: inout Router) {
        func get(_ path: String, _ handler: @escaping Handler) {
            router.add(.get, path, cors: false, consoleGated(handler))
        }
        func post(_ path: String, _ handler: @escaping Handler) {
            router.add(.post, path, cors: false, maximumBody: 16 << 10, consoleGated(handler))
        }
        func action(_ path: String, _ action: some ConsoleAction) { post(path, handler(ConsoleChange(action: action))) }

        get(ConsolePath.style) { _ in .response(self.pages.consoleStyle) }
        get(ConsolePath.script) { _ in .response(ConsoleScript.response) }
        get(ConsolePath.open, handler(AskToOpenConsole(services: self), guarding: true))
        post(ConsolePath.open, handler(OpenConsole(services: self), guarding: true))
        get(ConsolePath.signIn, handler(ShowConsoleSignIn(services: self)))
        post(ConsolePath.signIn, handler(RequestConsoleSignIn(services: self)))
        post(ConsolePath.code, handler(SignInToConsole(services: self)))
        get(ConsolePath.link, handler(ShowConsoleLink(services: self), guarding: true))
        post(ConsolePath.link, handler(SignInToConsoleByLink(services: self), guarding: true))
        post(ConsolePath.signOut, handler(SignOutOfConsole(services: self)))

        get(ConsolePath.front, consoleHandler(ConsoleOverview(services: self)))
        get(ConsolePath.users, consoleHandler(ConsoleUsers(services: self)))
        get("\(ConsolePath.users)/{uid}", consoleHandler(ConsoleUser(services: self)))
        get("\(ConsolePath.users)/{uid}/{action}", consoleHandler(AskConsoleUserAction(services: self)))
        action("\(ConsolePath.users)/{uid}/{action}", ChangeConsoleUser(services: self))
        action("\(ConsolePath.users)/{uid}/document", ShowConsoleDocument(services: self))
        let export = "\(ConsolePath.users)/{uid}/\(ConsoleUserAction.export.rawValue)"
        get(export, consoleHandler(AskConsoleUserAction(services: self, action: .export)))
        post(export, consoleExportHandler())
        get(ConsolePath.mail, consoleHandler(ConsoleMail(services: self)))
        get("\(ConsolePath.mail)/retry", consoleHandler(AskToRetryConsoleMail(services: self)))
        action("\(ConsolePath.mail)/retry", RetryConsoleMail(services: self))
        get(ConsolePath.cleanup, consoleHandler(ConsoleCleanup(services: self)))
        get("\(ConsolePath.cleanup)/change", consoleHandler(AskToChangeConsoleCleanup(services: self)))
        action(ConsolePath.cleanup, ChangeConsoleCleanup(services: self))
        get(ConsolePath.audit, consoleHandler(ConsoleAudit(services: self)))
        get(ConsolePath.refused, consoleHandler(ConsoleRefused(services: self)))
        get(ConsolePath.lift, consoleHandler(AskToLiftLimits(services: self)))
        action(ConsolePath.lift, LiftConsoleLimits(services: self))
        get(ConsolePath.configuration, consoleHandler(ConsoleConfiguration(services: self)))
    }
}
