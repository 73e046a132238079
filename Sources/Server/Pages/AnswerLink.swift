internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `POST /auth/action`: what the forms on a link's page do.
///
/// The code in the form is what proves the right to do it.
struct AnswerLink: WritingEndpoint {
    enum Input: Sendable {
        case unusable(locale: String)
        case approve(PageLink, digits: String)
        case deny(PageLink)
        case resend(PageLink, client: String, MailIDs)
        case apply(PageLink, MailIDs)
    }

    enum Outcome: Sendable {
        case unusable(locale: String)
        case answered(SignInLinkAnswer, PageLink)
        case applied(AppliedAction, PageLink)
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let form = FormBody(request.body)
        guard
            let link = try services.pageLink(
                code: form["oobCode"],
                language: form["lang"],
                continueURL: form["continueUrl"],
                request
            )
        else {
            try services.countBadLink(of: request)
            return .unusable(locale: services.pageLocale(of: request))
        }
        switch (form["action"], link.code.purpose == .emailSignIn) {
        case ("approve", true): return .approve(link, digits: form["confirmation"] ?? "")
        case ("deny", true): return .deny(link)
        case ("resend", true):
            try services.linkLimiter.use(request.clientAddress, at: services.clock())
            return .resend(link, client: try services.askingDevice(of: request).client, try MailIDs())
        case ("confirm", false): return .apply(link, try MailIDs())
        default: return .unusable(locale: link.locale)
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .unusable(let locale): return .unusable(locale: locale)
        case .approve(let link, let digits):
            return .answered(try services.flows.approve(link.code, digits: digits, in: transaction), link)
        case .deny(let link):
            return .answered(try services.flows.deny(link.code, in: transaction), link)
        case .resend(let link, let client, let ids):
            return .answered(
                try services.flows.resend(link.code, client: client, ids: ids, in: transaction),
                link
            )
        case .apply(let link, let notice):
            return .applied(try services.flows.applyActionCode(link.code, notice: notice, in: transaction), link)
        }
    }

    /// Wrong digits are a page for the person, and a wrong code in the log.
    func refusal(of outcome: Outcome) -> Refusal? {
        if case .answered(.wrongDigits, _) = outcome { Refusal(.invalidSignInCode) } else { nil }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .unusable(let locale): return services.pages.unusableLink(locale: locale)
        case .answered(let answer, let link):
            if case .resent = answer { services.mailQueued() }
            return services.pages.show(answer, link, at: services.clock())
        case .applied(let applied, let link):
            services.mailQueued()
            services.log("email.applied", uid: applied.user.uid, isAnonymous: false)
            if let url = services.continuation(of: applied.continueURL) { return services.pages.redirect(to: url) }
            return services.pages.show(applied, link)
        }
    }
}
