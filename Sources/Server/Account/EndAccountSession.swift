internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `POST /account/end-session`: ends a session of the user's, on any device.
struct EndAccountSession: WritingEndpoint {
    struct Input: Sendable {
        let session: TokenID
        let sid: String
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let (form, _, session) = try services.accountForm(request)
        guard let sid = form["session"].flatMap({ TokenID(text: $0) }) else {
            throw Refusal(.sessionNotFound).ofValid()
        }
        return Input(session: session, sid: sid.text)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> User {
        let caller = try services.flows.authenticate(browser: input.session, at: .account, in: transaction)
        try services.flows.endSession(input.sid, of: caller.token, in: transaction)
        return caller.user
    }

    func committed(_ user: User, of call: CallContext) {
        services.changes.hint(.sessionEnded, to: user.uid)
        services.changes.ended(user.uid)
        services.log("session.ended", uid: user.uid, isAnonymous: user.isAnonymous)
    }

    func render(_ user: User) -> Response { services.pages.redirect(to: AccountPath.account) }
}

/// `POST /account/sign-out`: ends the browser session, and the session that the page's own sign-in opened.
struct SignOutOfAccountPage: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> TokenID { try services.accountForm(request).session }

    func transact(_ session: TokenID, in transaction: Transaction) throws -> String? {
        try services.flows.endBrowserSession(session, at: .account, in: transaction)
    }

    func committed(_ uid: String?, of call: CallContext) {
        guard let uid else { return }
        services.changes.ended(uid)
        services.log("account-page.left", uid: uid, isAnonymous: false)
    }

    func render(_ uid: String?) -> Response {
        var response = services.pages.redirect(to: AccountPath.account)
        response.headers.append(services.cookies.clear(.account))
        return response
    }
}
