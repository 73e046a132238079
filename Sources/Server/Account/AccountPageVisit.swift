internal import Accounts
internal import HTTPServer
internal import Mail
internal import Tokens

/// A browser that requests the account page, as its cookies identify it.
struct AccountPageVisit: Sendable {
    let locale: String
    /// The id of the browser session; `nil` without a cookie with a valid signature.
    let session: TokenID?
    /// The id of the browser's sign-in, which is that of a ticket once an e-mail was requested; a fresh one if the
    /// browser has none.
    let signIn: TokenID
    /// Whether the browser does not have ``signIn`` yet.
    let isFirst: Bool
    /// The time zone of the app that opened the page; `nil`, which means UTC, if the browser came by itself.
    let timeZone: String?
}

extension Services {
    /// The cookies of the server's pages.
    var cookies: BrowserCookies { BrowserCookies(publicURL: publicURL) }

    /// The URL to which the link in an e-mail of the account page leads.
    var accountLinkURL: String { publicURL + AccountPath.link }

    /// Reads the cookies of a request for the account page.
    func accountPageVisit(of request: Request) throws -> AccountPageVisit {
        let session = try cookies.value(of: .account, in: request).flatMap {
            try BrowserSessionToken.verify($0, secrets: secrets)
        }
        let signIn = try cookies.value(of: .accountSignIn, in: request).flatMap {
            try TicketToken.verify($0, secrets: secrets)
        }
        return AccountPageVisit(
            locale: pageLocale(of: request),
            session: session,
            signIn: try signIn?.id ?? .random(),
            isFirst: signIn == nil,
            timeZone: cookies.value(of: .timeZone, in: request).flatMap { TimeZones.system.known($0) }
        )
    }

    /// Describes the browser as the device that asks for an e-mail.
    func askingDevice(of request: Request, _ visit: AccountPageVisit) throws -> AskingDevice {
        var asking = try askingDevice(of: request, nil)
        asking.timeZone = visit.timeZone
        return asking
    }

    /// Reads a form of a page that shows the account, and checks that this server made it for the browser session.
    ///
    /// - Returns: the form, the visit and the id of the browser session.
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED.
    func accountForm(_ request: Request) throws -> (form: FormBody, visit: AccountPageVisit, session: TokenID) {
        let form = FormBody(request.body), visit = try accountPageVisit(of: request)
        try check(form, boundTo: visit.session, request)
        guard let session = visit.session else { throw Refusal(.originNotAllowed) }
        return (form, visit, session)
    }

    /// Reads a form of a page before the account is shown, and checks that this server made it for the browser's
    /// sign-in.
    ///
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED.
    func accountSignInForm(_ request: Request) throws -> (form: FormBody, visit: AccountPageVisit) {
        let form = FormBody(request.body), visit = try accountPageVisit(of: request)
        try check(form, boundTo: visit.isFirst ? nil : visit.signIn, request)
        return (form, visit)
    }

    /// Makes the ids for a browser session of the account page, which replaces the browser's earlier one.
    func accountOpening(_ visit: AccountPageVisit) throws -> BrowserSessionOpening {
        BrowserSessionOpening(page: .account, id: try .random(), replaced: visit.session)
    }

    /// Redirects to the account after a sign-in, and gives the browser its session's cookie in place of the sign-in's.
    func openedAccount(_ opening: BrowserSessionOpening) throws -> Response {
        var response = pages.redirect(to: AccountPath.account)
        let value = try BrowserSessionToken.make(id: opening.id, secrets: secrets)
        response.headers += [cookies.set(.account, to: value), cookies.clear(.accountSignIn)]
        return response
    }
}

/// The paths of the account page.
enum AccountPath {
    static let account = "/account"
    static let open = "/account/open"
    static let signIn = "/account/sign-in"
    static let link = "/account/link"
    static let code = "/account/code"
    static let confirm = "/account/confirm"
    static let email = "/account/email"
    static let endSession = "/account/end-session"
    static let delete = "/account/delete"
    static let signOut = "/account/sign-out"
    static let export = "/account/export"

    /// Whether a path belongs to the account page.
    static func contains(_ path: String) -> Bool { path == account || path.hasPrefix("\(account)/") }
}
