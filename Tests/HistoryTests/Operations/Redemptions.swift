import Accounts
import Tokens

@testable import Server

extension OperationMix {
    static let linkRedemption = Kind(share: 14) { _, draw in
        let token = draw.token(percent: 30)
        // Only without a session and with this value does a redemption run at READ COMMITTED.
        let onConflict = token == nil && draw.numbers.chance(90) ? .error : draw.onConflict()
        return try draw.linkRedemption(token, onConflict)
    }

    /// A redemption that can share a transaction with others; only in races.
    static let sharedRedemption = Kind(share: 0) { _, draw in try draw.linkRedemption(nil, .error) }

    static let redemptionInApp = Kind(share: 12) { _, draw in
        guard let known = draw.ticket() else { return nil }
        return try draw.redemption(of: known.ticket)
    }

    static let approval = Kind(share: 6) { _, draw in
        guard let known = draw.ticket() else { return nil }
        let ticket = known.ticket
        let digits = try draw.isRight(70, code: SignInCode.confirmation, of: ticket)
        return Operation(
            "approval",
            AnswerLink.Input.approve(page(of: known.link), digits: digits, TracedDevice()),
            AnswerLink.init
        )
    }

    static let denial = Kind(share: 3) { _, draw in
        guard let known = draw.ticket() else { return nil }
        if draw.numbers.chance(50) {
            let link = PresentedSignInLink(code: known.link, wireCode: "")
            return Operation(
                "denial",
                DenySignInLink.Input(link: link, reader: TracedDevice()),
                DenySignInLink.init
            )
        }
        return Operation(
            "end of a sign-in",
            AnswerLink.Input.endSignIn(page(of: known.link), TracedDevice()),
            AnswerLink.init,
            // A worker that records an e-mail changes the ticket, and the end of a sign-in the session, so they do not
            // conflict. The page says nothing of the e-mail.
            ignoring: ["mailState", "expiresAt"]
        )
    }

    /// What clients learn from a decided redemption.
    @Sendable
    static func decided(_ decision: Decision<SignedIn>) -> (lessons: [Lesson], spent: [String]) {
        guard case .done(let done) = decision else { return ([], []) }
        return signedIn(done)
    }
}

extension Draw {
    /// A redemption of a link; `nil` if no client has one.
    mutating func linkRedemption(_ token: PresentedToken?, _ onConflict: OnConflict) throws -> Operation? {
        guard let known = ticket() else { return nil }
        let input = SignInLinkRedemption(
            email: numbers.chance(90) ? try EmailAddress(parsing: known.ticket.email) : try email(),
            code: known.link,
            token: token,
            onConflict: onConflict,
            uid: try uid(),
            opening: try opening(),
            notice: try notice(),
            mergeID: try numbers.id().text
        )
        return Operation("redemption of a link", input, SignInWithEmailLink.init, learn: OperationMix.decided)
    }

    /// A redemption by the code, or a question whether the ticket is approved.
    mutating func redemption(of ticket: Ticket) throws -> Operation {
        let hasCode = numbers.chance(60)
        let redemption = TicketRedemption(
            ticket: ticket.id,
            code: hasCode ? try isRight(80, code: SignInCode.code, of: ticket) : nil,
            waits: numbers.chance(50),
            onConflict: onConflict(),
            uid: try uid(),
            opening: try opening(),
            notice: try notice(),
            mergeID: try numbers.id().text
        )
        return Operation(
            hasCode ? "redemption by code" : "redemption by approval",
            SignInWithTicket.Input(redemption: redemption, deadline: nil),
            SignInWithTicket.init
        ) { OperationMix.decided($0.result.decision) }
    }

    typealias CodeOfTicket = (SignInCodeForm, TokenID, UInt8, ServerSecrets) throws -> String?

    /// Returns a ticket's digits in this many of a hundred cases, and wrong ones in the others.
    mutating func isRight(_ percent: Int, code: CodeOfTicket, of ticket: Ticket) throws -> String {
        guard numbers.chance(percent), let id = TokenID(text: ticket.id) else { return "00000000" }
        return try code(ticket.codeForm, id, ticket.keyID, Node.secrets) ?? ""
    }
}
