internal import Accounts
internal import HTTPServer
internal import Tokens

// The pages of the account, as responses.
extension Services {
    /// Asks for the address of an account, and gives the browser the cookie that the form is bound to.
    ///
    /// - Parameters:
    ///   - visit: the browser.
    ///   - notice: why the page is shown; `nil` if the browser has just arrived.
    ///   - status: the HTTP status.
    func askForAddress(_ visit: AccountPageVisit, notice: PageText? = nil, status: Int = 200) throws -> Response {
        let token = try formToken(of: visit)
        let page = pages.askForAddress(formToken: token, locale: visit.locale, notice: notice, status: status)
        return try bound(page, to: visit)
    }

    /// Shows the page that waits for the e-mail of a ticket: with a field for the code, or once the link was approved
    /// elsewhere, with the button that signs in.
    ///
    /// - Parameters:
    ///   - ticket: the ticket, which can be redeemed.
    ///   - visit: the browser, whose sign-in the ticket is.
    ///   - isWrong: whether a wrong code was typed.
    func showInbox(_ ticket: Ticket, _ visit: AccountPageVisit, isWrong: Bool = false) throws -> Response {
        pages.awaitEmail(
            at: ticket.email,
            ticket.state == .approved ? .approved : .code(digits: try flows.confirmation(of: ticket)),
            formToken: try formToken(of: visit),
            locale: visit.locale,
            isWrong: isWrong
        )
    }

    /// Asks whether to open the account page for the user of an app's URL.
    func askToContinue(as user: User, _ visit: AccountPageVisit, _ entry: AccountEntry) throws -> Response {
        let name = user.email.map(EmailAddress.masked) ?? pages.accountName(of: user, locale: visit.locale)
        return try askToContinue(named: name, visit, entry)
    }

    /// Asks whether to open the account page for the owner of an address.
    func askToContinue(as email: String, _ visit: AccountPageVisit, _ entry: AccountEntry) throws -> Response {
        try askToContinue(named: pages.accountAddress(email), visit, entry)
    }

    private func askToContinue(named account: String, _ visit: AccountPageVisit, _ entry: AccountEntry) throws
        -> Response
    {
        let token = try formToken(of: visit)
        return try bound(pages.askToContinue(as: account, entry, formToken: token, locale: visit.locale), to: visit)
    }

    /// Shows the account.
    ///
    /// - Parameters:
    ///   - overview: the account.
    ///   - session: the id of the browser session, to which the forms are bound.
    ///   - visit: the browser.
    func show(_ overview: AccountOverview, _ session: TokenID, _ visit: AccountPageVisit) throws -> Response {
        pages.account(
            overview,
            formToken: try FormToken.make(for: session, secrets: secrets),
            locale: visit.locale,
            timeZone: visit.timeZone
        )
    }

    /// Shows why a request for the account page was refused, and what to do next.
    ///
    /// - Parameters:
    ///   - error: the error that handling the request threw.
    ///   - envelope: the same error for a client of the API.
    ///   - request: the request.
    func accountErrorResponse(_ error: any Error, _ envelope: ErrorEnvelope, _ request: Request) -> Response {
        let locale = pageLocale(of: request)
        guard let refusal = error as? Refusal, let visit = try? accountPageVisit(of: request) else {
            return pages.error(status: envelope.httpStatus, locale: locale)
        }
        let response = try? refused(refusal, visit, at: request.path)
        return response ?? pages.error(status: 500, locale: locale)
    }

    private func refused(_ refusal: Refusal, _ visit: AccountPageVisit, at path: String) throws -> Response {
        let locale = visit.locale
        switch refusal.code {
        case .tokenExpired, .userNotFound:
            var response = try askForAddress(visit, notice: .accountSignInEnded, status: 403)
            // The URL of an ended session says nothing about the session that the browser may have.
            if path != AccountPath.open { response.headers.append(cookies.clear(.account)) }
            return response
        case .invalidOobCode, .expiredOobCode, .ticketSpent:
            // The second request of a button that was pressed twice: the first has opened the page.
            if path != AccountPath.open, visit.session != nil { return pages.redirect(to: AccountPath.account) }
            guard refusal.code == .ticketSpent else { return pages.refused(refusal, locale: locale) }
            return try askForAddress(visit, notice: .accountSignInOver, status: 410)
        case .invalidTicket, .ticketEnded, .ticketExpired, .mailFailed, .invalidSignInCode:
            return try askForAddress(visit, notice: .accountSignInOver, status: 410)
        // A session that has ended meanwhile, or is not the user's: the list shows what there is.
        case .sessionNotFound: return pages.redirect(to: AccountPath.account)
        case .ticketPending: return pages.redirect(to: AccountPath.signIn)
        case .mailPending: return try askForAddress(visit, notice: .accountInboxWait, status: 409)
        case .missingUserAccount: return try askForAddress(visit, notice: .accountSignInNone, status: 404)
        case .challengeRequired: return try askForAddress(visit, notice: .accountSignInFromApp, status: 429)
        case .invalidEmail where path == AccountPath.signIn:
            return try askForAddress(visit, notice: .accountBadAddressTitle, status: 400)
        case .invalidEmail: return pages.accountMessage(.accountBadAddress, locale: locale, status: 400)
        case .credentialTooOld: return try askToConfirm(visit)
        case .emailExists: return pages.accountMessage(.accountTaken, locale: locale, status: 409)
        case .originNotAllowed: return pages.accountMessage(.accountStale, locale: locale, status: 403)
        case .operationNotAllowed where refusal == Delete.keptByTables:
            return pages.accountMessage(.accountKept, locale: locale, status: 409)
        case .operationNotAllowed: return pages.accountMessage(.operatorOnly, locale: locale, status: 403)
        case .codePaused: return pages.accountMessage(.tooMany, locale: locale, status: 429)
        default: return pages.refused(refusal, locale: locale)
        }
    }

    /// Asks the user to sign in again, because the change needs a recent sign-in.
    private func askToConfirm(_ visit: AccountPageVisit) throws -> Response {
        guard let session = visit.session else { return try askForAddress(visit, status: 403) }
        let token = try FormToken.make(for: session, secrets: secrets)
        return pages.askToConfirmSignIn(formToken: token, locale: visit.locale)
    }

    /// Makes the token that binds a form before the account is shown to the browser's sign-in.
    private func formToken(of visit: AccountPageVisit) throws -> String {
        try FormToken.make(for: visit.signIn, secrets: secrets)
    }

    /// Gives a browser the cookie that the form in a page is bound to, unless the browser has it.
    private func bound(_ page: Response, to visit: AccountPageVisit) throws -> Response {
        guard visit.isFirst else { return page }
        var page = page
        page.headers.append(cookies.set(.accountSignIn, to: try TicketToken.make(id: visit.signIn, secrets: secrets)))
        return page
    }
}
