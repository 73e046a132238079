import Accounts
import Database
import Server
import Testing
import Tokens

extension AccountBrowser {
    /// A browser on the console of a production server whose console is public.
    static func console(_ server: TestServer) -> AccountBrowser {
        let browser = AccountBrowser(server)
        browser.origin = "https://auth.example.com"
        return browser
    }

    /// The value of the console's session cookie; `nil` without one.
    var consoleCookie: String? { cookies["__Host-latchkey-console"] ?? cookies["latchkey-console"] }

    /// Opens the console with a URL of the command line.
    @discardableResult
    func enterConsole(as name: String = "ann") throws -> Answer {
        try open(try server.consoleURL(as: name))
        return try submit("/console/open")
    }

    /// Asks for the sign-in e-mail of an address, and submits its code.
    @discardableResult
    func signInToConsole(_ email: String) throws -> Answer {
        let known = try server.messages().count
        try open("/console/sign-in")
        try submit("/console/sign-in", ["email": email])
        let mail = try server.message(after: known)
        try server.settleMails()
        return try submit("/console/code", ["code": mail.shownDigits])
    }
}

extension TestServer {
    /// Runs a production server whose console is on the main listener too.
    static func runWithConsole(
        _ settings: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer) throws -> Void
    ) async throws {
        try await runInProduction(settings.merging(["CONSOLE": "public"]) { $1 }, body)
    }

    /// Makes a URL that opens the console, as the command does, by the server's clock.
    func consoleURL(as name: String = "ann") throws -> String {
        let token = try TokenID.random()
        try elsewhere { store in
            let flows = AccountFlows(policy: Policy(), secrets: store.secrets)
            try store.database.writeNow { try flows.makeConsoleURL(token, name: name, in: $0) }
        }
        return "https://auth.example.com/console/open?token=\(token.text)"
    }

    /// Makes a user with this address an administrator, and returns the UID.
    @discardableResult
    func makeAdministrator(_ email: String, isReadOnly: Bool = false) throws -> String {
        let user = try signIn(email)
        try withOperator { try $0.setAdministrator(true, user.uid, isReadOnly: isReadOnly) }
        return user.uid
    }
}
