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
        case resend(PageLink, client: String, MailIDs, MailPlace)
        case apply(PageLink, MailIDs)
        case denyAction(PageLink)
    }

    enum Outcome: Sendable {
        case unusable(locale: String)
        case answered(SignInLinkAnswer, PageLink)
        case resent(SignInLinkAnswer, PageLink, MailPlace)
        case applied(AppliedAction, PageLink)
        case deniedAction(PageLink)
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
            let place = try services.mailPlace(for: request, mayHaveHistory: false)
            return .resend(link, client: try services.askingDevice(of: request).client, try MailIDs(), place)
        case ("confirm", false): return .apply(link, try MailIDs())
        case ("deny", false): return .denyAction(link)
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
        case .resend(let link, let client, let ids, let place):
            let answer = try services.flows.resend(
                link.code,
                client: client,
                traffic: place.traffic,
                ids: ids,
                in: transaction
            )
            return .resent(answer, link, place)
        case .apply(let link, let notice):
            return .applied(
                try services.flows.applyActionCode(link.code, by: .page, notice: notice, in: transaction),
                link
            )
        case .denyAction(let link):
            try services.flows.denyAction(link.code, in: transaction)
            return .deniedAction(link)
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
            return services.pages.show(answer, link, at: services.clock())
        case .resent(let answer, let link, let place):
            if case .resent = answer {
                place.accept()
                services.mailQueued()
            }
            return services.pages.show(answer, link, at: services.clock())
        case .applied(let applied, let link):
            services.announce(applied)
            if !applied.isContest, let url = services.continuation(of: applied.continueURL) {
                return services.pages.redirect(to: url)
            }
            return services.pages.show(applied, link)
        case .deniedAction(let link):
            return services.pages.deniedAction(link)
        }
    }
}
