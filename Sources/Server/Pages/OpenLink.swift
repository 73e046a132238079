internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /auth/action`: shows the page of an e-mail link.
///
/// The request changes nothing in the database, however often mail scanners open the link.
struct OpenLink: ReadingEndpoint {
    enum Input: Sendable {
        /// The sign-in link has a continue URL: the browser is redirected to this URL of the app, which redeems the
        /// code.
        case elsewhere(String)
        case unusable(locale: String)
        case signIn(PageLink)
        case notice(PageLink)
        case other(PageLink)
    }

    enum Outcome: Sendable {
        case elsewhere(String)
        case unusable(locale: String)
        case signIn(SignInLinkStatus, PageLink)
        case notice(RevertibleChange, PageLink)
        case other(ActionQuestion, PageLink)
        case refused(Refusal, PageLink)
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        guard
            let link = try services.pageLink(
                code: request.queryValue("oobCode"),
                language: request.queryValue("lang"),
                continueURL: request.queryValue("continueUrl"),
                request
            )
        else {
            services.failureTrace.record(.badLink, from: request.clientAddress, at: services.clock())
            return .unusable(locale: services.pageLocale(of: request))
        }
        if link.code.purpose == .revertMethodChange { return .notice(link) }
        guard link.code.purpose == .emailSignIn else { return .other(link) }
        services.metrics.count(.opened)
        guard let url = link.continueURL else { return .signIn(link) }
        let action = ActionLink(
            purpose: .emailSignIn,
            code: link.wireCode,
            locale: link.locale,
            continueURL: nil,
            requestID: ActionLink.requestID(in: request)
        )
        return .elsewhere(action.continuation(to: url))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .elsewhere(let url): return .elsewhere(url)
        case .unusable(let locale): return .unusable(locale: locale)
        case .signIn(let link):
            return .signIn(try services.flows.signInLinkStatus(of: link.code, in: transaction), link)
        case .notice(let link):
            do {
                return .notice(try services.flows.revertibleChange(link.code, in: transaction), link)
            } catch let refusal as Refusal {
                return .refused(refusal, link)
            }
        case .other(let link):
            do {
                return .other(try services.flows.question(of: link.code, in: transaction), link)
            } catch let refusal as Refusal {
                return .refused(refusal, link)
            }
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .elsewhere(let url): services.pages.redirect(to: url)
        case .unusable(let locale): services.pages.unusableLink(locale: locale)
        case .signIn(let status, let link): services.pages.show(status, link, at: services.clock())
        case .notice(let change, let link): services.pages.confirm(change, link)
        case .other(let question, let link):
            services.pages.ask(question, link, leadingTo: services.continuation(of: question.code.continueURL))
        case .refused(let refusal, let link) where refusal.code == .emailExists && link.code.purpose == .recoverEmail:
            services.pages.addressTaken(locale: link.locale)
        case .refused(let refusal, let link): services.pages.refused(refusal, locale: link.locale)
        }
    }
}

/// The parts of an e-mail link that a page needs: its code, whose signature is valid, the language and the continue
/// URL.
struct PageLink: Sendable {
    let code: ActionCode
    /// The code as it is in the link.
    let wireCode: String
    let locale: String
    /// The URL to continue to; an allowed URL, or `nil`.
    let continueURL: String?
    /// The app that may open the link on the device that shows the page; `nil` if there is none.
    let app: LinkedApp?
    /// The server's public URL, with which the link starts.
    let publicURL: String

    /// The URL that opens a sign-in link in the app; `nil` if there is no app.
    ///
    /// - Parameter requestID: the id of the link's ticket.
    func appURL(requestID: String) -> String? {
        let link = ActionLink(
            purpose: code.purpose,
            code: wireCode,
            locale: locale,
            continueURL: nil,
            requestID: requestID
        )
        return app?.url(opening: link.url(publicURL: publicURL))
    }
}

extension Services {
    /// The continue URL of a link, without its fragment; `nil` if the link has none, or none that is (still) allowed.
    func continuation(of url: String?) -> String? {
        // The account page's own link needs no permission, even if `allowedOrigins` lists only the origins of apps.
        if configuration.accountPage, url == accountLinkURL { return url }
        if let url, url == consoleLinkURL { return url }
        return url.flatMap { try? allowedOrigins.check($0) }
    }

    /// A link whose code has a valid signature, whether or not it has expired; `nil` for anything else.
    ///
    /// A continue URL that is not allowed (any more) is dropped.
    func pageLink(
        code: String?,
        language: String?,
        continueURL: String?,
        _ request: Request
    ) throws -> PageLink? {
        guard let code, let actionCode = try unverifiedExpiryActionCode(code) else { return nil }
        return PageLink(
            code: actionCode,
            wireCode: code,
            locale: pageLocale(language, request),
            continueURL: continuation(of: continueURL),
            app: LinkedApp(userAgent: request.header("user-agent") ?? "", configuration),
            publicURL: publicURL
        )
    }
}
