internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /auth/action`: what opening a mailed link shows.
///
/// It changes nothing, however often mail scanners open it.
struct OpenLink: ReadingEndpoint {
    enum Input: Sendable {
        /// The app redeems the code at its own address.
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
        guard let url = link.continueURL else { return .signIn(link) }
        let action = ActionLink(purpose: .emailSignIn, code: link.wireCode, locale: link.locale, continueURL: nil)
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

/// A mailed link as a page deals with it.
struct PageLink: Sendable {
    let code: ActionCode
    /// The code as it stands in the link.
    let wireCode: String
    let locale: String
    /// Where to go afterwards; an allowed URL, or `nil`.
    let continueURL: String?
}

extension Services {
    /// Where to go once a link has done its work; `nil` where the link names nothing that is (still) allowed.
    func continuation(of url: String?) -> String? {
        url.flatMap { try? allowedOrigins.check($0) }
    }

    /// A link whose signature is good; `nil` for anything else.
    ///
    /// A continue URL that is not allowed (any more) is left out rather than followed.
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
            continueURL: continuation(of: continueURL)
        )
    }
}
