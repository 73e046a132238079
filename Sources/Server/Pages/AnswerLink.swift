internal import Accounts
internal import Database
internal import HTTPServer
internal import Network
internal import Tokens

/// `POST /auth/action`: handles the forms on a link's page, with which a reader approves, denies or renews a sign-in,
/// ends the session that it began, confirms or denies another action, or reverts a change of sign-in methods.
///
/// The code in the form authorizes the request.
struct AnswerLink: WritingEndpoint {
    enum Input: Sendable {
        case unusable(locale: String)
        case approve(PageLink, digits: String, TracedDevice)
        case deny(PageLink, TracedDevice)
        case endSignIn(PageLink, TracedDevice)
        case resend(PageLink, AskingDevice, MailIDs, MailPlace)
        case apply(PageLink, NoticeOpening)
        case denyAction(PageLink, TracedDevice)
        case revert(PageLink)
    }

    enum Outcome: Sendable {
        case unusable(locale: String)
        case answered(SignInLinkAnswer, PageLink)
        case resent(SignInLinkAnswer, PageLink, MailPlace)
        case applied(AppliedAction, PageLink)
        case deniedAction(PageLink)
        case reverted(RevertedChange, PageLink)
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
        if link.code.purpose == .revertMethodChange {
            return form["action"] == "revert" ? .revert(link) : .unusable(locale: link.locale)
        }
        let reader = services.tracedDevice(of: request)
        switch (form["action"], link.code.purpose == .emailSignIn) {
        case ("approve", true): return .approve(link, digits: form["confirmation"] ?? "", reader)
        case ("deny", true): return .deny(link, reader)
        case ("end", true): return .endSignIn(link, reader)
        case ("resend", true):
            let asking = try services.askingDevice(of: request, nil)
            do {
                try services.limiters.links.use(request.clientAddress, at: services.clock())
                let place = try services.mailPlace(for: request, mayHaveHistory: false)
                return .resend(link, asking, try MailIDs(), place)
            } catch let refusal as Refusal {
                trace(refusal, of: link, asking, from: request.clientAddress)
                throw refusal
            }
        case ("confirm", false): return .apply(link, try services.noticeOpening(for: request, nil))
        case ("deny", false): return .denyAction(link, reader)
        default: return .unusable(locale: link.locale)
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .unusable(let locale): return .unusable(locale: locale)
        case .approve(let link, let digits, let reader):
            return .answered(
                try services.flows.approve(link.code, digits: digits, by: reader, in: transaction),
                link
            )
        case .deny(let link, let reader):
            return .answered(try services.flows.deny(link.code, by: reader, in: transaction), link)
        case .endSignIn(let link, let reader):
            return .answered(try services.flows.endSignIn(by: link.code, from: reader, in: transaction), link)
        case .resend(let link, let asking, let ids, let place):
            let answer = try services.flows.resend(
                link.code,
                client: asking.client,
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
        case .denyAction(let link, let reader):
            try services.flows.denyAction(link.code, by: reader, in: transaction)
            return .deniedAction(link)
        case .revert(let link):
            return .reverted(try services.flows.revertMethodChange(link.code, in: transaction), link)
        }
    }

    func refused(_ refusal: Refusal, _ input: Input, of call: CallContext) {
        guard case .resend(let link, let asking, _, _) = input else { return }
        trace(refusal, of: link, asking, from: call.client)
    }

    /// Traces that a limit refused another e-mail.
    private func trace(_ refusal: Refusal, of link: PageLink, _ asking: AskingDevice, from client: IPAddress) {
        services.traceRefusal(refusal, of: nil, code: link.code.id, kind: .signIn, device: asking.name, from: client)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        switch outcome {
        case .answered(let answer, _): services.announce(answer, of: call)
        case .resent(.resent(let ticket), _, let place):
            place.accept()
            services.wake.mailWorkers()
            services.ticketWaits.changed(ticket.id)
        case .applied(let applied, _): services.announce(applied)
        case .reverted(let reverted, _):
            services.changes.ended(reverted.user.uid)
            services.log("method-change.reverted", uid: reverted.user.uid, isAnonymous: false)
        case .unusable, .resent, .deniedAction: break
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .unusable(let locale): return services.pages.unusableLink(locale: locale)
        case .answered(let answer, let link), .resent(let answer, let link, _):
            return services.pages.show(answer, link, at: services.clock())
        case .applied(let applied, let link):
            if !applied.isContest, let url = services.continuation(of: applied.continueURL) {
                return services.pages.redirect(to: url)
            }
            return services.pages.show(applied, link)
        case .deniedAction(let link):
            return services.pages.deniedAction(link)
        case .reverted(let reverted, let link):
            return services.pages.show(reverted, link)
        }
    }
}

extension Services {
    /// Does what follows from a committed answer to a sign-in link, on the link's page or by a call.
    func announce(_ answer: SignInLinkAnswer, of call: CallContext) {
        switch answer {
        case .approved(let ticket), .denied(let ticket): ticketWaits.changed(ticket.id)
        // Wrong digits result in a page, but count as a wrong code in the log.
        case .wrongDigits(_, let ended, _):
            count(Refusal(.invalidSignInCode), from: call.client)
            for ticket in ended { ticketWaits.changed(ticket) }
        case .signedOut(_, let uid):
            changes.hint(.sessionEnded, to: uid)
            changes.ended(uid)
            log("session.ended", uid: uid, isAnonymous: false, outcome: "by-link")
        case .mistyped, .resent, .stale: break
        }
    }
}
