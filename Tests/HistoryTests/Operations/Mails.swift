import AccountDatabase
import Accounts
import Database
import Tokens

@testable import Server

extension OperationMix {
    static let linkRequest = Kind(share: 10) { _, draw in
        let ids = try draw.mailIDs()
        let request = SignInLinkRequest(
            email: try draw.email(),
            token: draw.token(percent: 40),
            asking: draw.asking(),
            continueURL: nil,
            ids: ids
        )
        let input = SendOobCode.Input(mail: .signIn(request), place: place, payment: nil)
        return Operation("request for a link", input, SendOobCode.init) { outcome in
            guard case .ticket(let ticket, _) = outcome else { return ([], []) }
            return ([.ticket(KnownTicket(ticket, code: ids.actionCode))], [])
        }
    }

    static let codeRequest = Kind(share: 5) { _, draw in
        guard let session = draw.session() else { return nil }
        let ids = try draw.mailIDs()
        let changes = draw.numbers.chance(60)
        let request = EmailActionRequest(
            token: session.token,
            newEmail: changes ? try draw.email() : nil,
            asking: draw.asking(),
            continueURL: nil,
            ids: ids
        )
        let input = SendOobCode.Input(mail: .action(request), place: place, payment: nil)
        let code = ActionCode(
            id: ids.actionCode,
            purpose: changes ? .verifyAndChangeEmail : .verifyEmail,
            expiry: session.issuedAt + 24 * 3600
        )
        return Operation("request for a code", input, SendOobCode.init) { _ in ([.code(code)], []) }
    }

    static let linkByAdministrator = Kind(share: 2) { _, draw in
        let ids = try draw.mailIDs()
        let request = ActionLinkRequest(
            purpose: .emailSignIn,
            email: try draw.email(),
            token: nil,
            newEmail: nil,
            asking: draw.asking(),
            continueURL: nil,
            ids: ids
        )
        let input = MakeOobCode.Input.link(request, AuditActor(.administrator, "history"))
        return Operation("link by an administrator", input, MakeOobCode.init) { outcome in
            guard case .link(let made) = outcome else { return ([], []) }
            return ([.ticket(KnownTicket(made, ids))], [])
        }
    }

    static let mailSent = Kind(share: 4) { _, draw in
        guard let ticket = draw.ticket()?.ticket.id else { return nil }
        return Operation("mail sent", .writes(.readCommitted, alone: false)) { flows, transaction in
            try transaction.record(.sent, ofMailFor: ticket, endingAfter: flows.policy.signInLinkLife)
        }
    }

    static let resend = Kind(share: 3) { _, draw in
        guard let known = draw.ticket() else { return nil }
        let ids = try draw.mailIDs()
        let input = AnswerLink.Input.resend(page(of: known.link), draw.asking(), ids, place)
        return Operation("resend", input, AnswerLink.init) { outcome in
            guard case .resent(.resent(let ticket), _, _) = outcome else { return ([], []) }
            return ([.ticket(KnownTicket(ticket, code: ids.actionCode))], [])
        }
    }

    /// A place among the requests of a network that is refused nothing.
    static var place: MailPlace { MailPlace(traffic: MailTraffic(), onAcceptance: {}, onRefusal: {}) }

    static func page(of code: ActionCode) -> PageLink {
        PageLink(code: code, wireCode: "", locale: "en", continueURL: nil, app: nil, publicURL: "")
    }
}

extension KnownTicket {
    init(_ ticket: Ticket, code: TokenID) {
        self.ticket = ticket
        link = ActionCode(id: code, purpose: .emailSignIn, expiry: ticket.expiresAt / 1000 + 60)
    }

    /// The ticket of an administrator's link, with a later end than the stored one, which decides.
    init(_ made: MadeActionLink, _ ids: MailIDs) {
        let ticket = Ticket(
            id: ids.ticket.text,
            keyID: Node.secrets.newest.keyID,
            email: made.email,
            mailState: .none,
            asking: AskingDevice(sid: nil, uid: nil, client: "", name: "", place: nil, locale: made.locale),
            continueURL: nil,
            createdAt: 0,
            expiresAt: 4_000_000_000_000
        )
        self.init(ticket, code: ids.actionCode)
    }
}
