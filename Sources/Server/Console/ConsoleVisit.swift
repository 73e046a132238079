internal import Accounts
internal import HTTPServer
internal import Tokens

/// A browser that requests the console, as its cookies identify it.
struct ConsoleVisit: Sendable {
    /// The id of the browser's session; `nil` without a cookie with a valid signature.
    ///
    /// In development there always is one. It is stored nowhere, and only binds forms to the browser.
    let session: TokenID?
    /// The id of the browser's sign-in, which is that of a ticket once an e-mail was requested; a fresh one if the
    /// browser has none.
    let signIn: TokenID
    /// Whether the browser does not have ``signIn`` yet.
    let isFirst: Bool
    /// The cookie to set because the browser does not have it yet: the development session; `nil` for none.
    let cookie: (name: String, value: String)?
    let cookies: BrowserCookies
}

extension Services {
    /// Returns a handler that answers 404 on listeners without the console.
    func consoleGated(_ handler: @escaping Handler) -> Handler {
        guarded { request in
            guard self.configuration.servesConsole(on: request.listener) else { throw RequestError.notFound }
            return try handler(request)
        }
    }

    /// Reads the cookies of a request for the console.
    func consoleVisit(of request: Request) throws -> ConsoleVisit {
        let cookies = BrowserCookies(isSecure: request.listener == .main && publicURL.hasPrefix("https://"))
        var session = try cookies.value(of: .console, in: request).flatMap {
            try BrowserSessionToken.verify($0, secrets: secrets)
        }
        var cookie: (name: String, value: String)?
        if session == nil, configuration.mode == .development {
            let id = try TokenID.random()
            session = id
            cookie = cookies.set(.console, to: try BrowserSessionToken.make(id: id, secrets: secrets))
        }
        let signIn = try cookies.value(of: .consoleSignIn, in: request).flatMap {
            try TicketToken.verify($0, secrets: secrets)
        }
        return ConsoleVisit(
            session: session,
            signIn: try signIn?.id ?? .random(),
            isFirst: signIn == nil,
            cookie: cookie,
            cookies: cookies
        )
    }

    /// Reads a form of a page that needs a session, and checks that this server made it for the browser.
    ///
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED.
    func consoleForm(_ request: Request) throws -> (form: FormBody, visit: ConsoleVisit, session: TokenID) {
        let form = FormBody(request.body), visit = try consoleVisit(of: request)
        let bound = visit.cookie == nil ? visit.session : nil
        try check(form, boundTo: bound, request)
        guard let bound else { throw Refusal(.originNotAllowed) }
        return (form, visit, bound)
    }

    /// Reads a form of a page before the sign-in, and checks that this server made it for the browser's sign-in.
    ///
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED.
    func consoleSignInForm(_ request: Request) throws -> (form: FormBody, visit: ConsoleVisit) {
        let form = FormBody(request.body), visit = try consoleVisit(of: request)
        try check(form, boundTo: visit.isFirst ? nil : visit.signIn, request)
        return (form, visit)
    }

    /// Makes the ids for a session of the console, which replaces the browser's earlier one.
    func consoleOpening(_ visit: ConsoleVisit) throws -> BrowserSessionOpening {
        BrowserSessionOpening(page: .console, id: try .random(), replaced: visit.session)
    }

    /// Redirects to the console after a sign-in, and gives the browser its session's cookie in place of the sign-in's.
    func openedConsole(_ opening: BrowserSessionOpening, _ visit: ConsoleVisit) throws -> Response {
        var response = consoleRedirect(to: ConsolePath.front)
        let value = try BrowserSessionToken.make(id: opening.id, secrets: secrets)
        response.headers += [visit.cookies.set(.console, to: value), visit.cookies.clear(.consoleSignIn)]
        return response
    }
}
