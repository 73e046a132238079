import AccountDatabase
import Accounts
import Database
import Foundation
import Testing
import Tokens

/// People who sign in while an attacker keeps nine requests for their address open, and who open any of the ten
/// e-mails.
///
/// 2000 runs, or 20,000 with `DEPTH=full`. The ids are the same in every run, and so are the digits and the outcome.
@Suite("Approvals beside a stranger's requests")
struct WrongPageSimulationTests {
    private static let runs = ProcessInfo.processInfo.environment["DEPTH"] == "full" ? 20_000 : 2000

    /// A generator of the same numbers in every run (SplitMix64).
    private struct Numbers: RandomNumberGenerator, Sendable {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }

        mutating func id() throws -> TokenID {
            let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }
            return try #require(TokenID(bytes: bytes))
        }
    }

    private struct Outcomes: Sendable {
        var lost = 0
        var strangersApproved = 0
    }

    private static func ask(
        _ address: String,
        client: String,
        _ numbers: inout Numbers,
        _ flows: AccountFlows,
        in transaction: Transaction
    ) throws -> (ticket: Ticket, link: ActionCode) {
        let ids = MailIDs(ticket: try numbers.id(), actionCode: try numbers.id(), mail: try numbers.id())
        let asking = AskingDevice(sid: nil, uid: nil, client: client, name: "", place: nil, locale: "en")
        let request = SignInLinkRequest(
            email: try EmailAddress(parsing: address),
            token: nil,
            asking: asking,
            continueURL: nil,
            ids: ids
        )
        let ticket = try flows.requestSignInLink(request, in: transaction)
        return (ticket, ActionCode(id: ids.actionCode, purpose: .emailSignIn, expiry: ticket.expiresAt / 1000))
    }

    private static func poll(
        _ ticket: Ticket,
        _ numbers: inout Numbers,
        _ flows: AccountFlows,
        in transaction: Transaction
    ) throws {
        let redemption = TicketRedemption(
            ticket: ticket.id,
            code: nil,
            onConflict: .error,
            uid: "uid",
            opening: SessionOpening(sid: try numbers.id().text, rotates: true),
            notice: NoticeOpening(
                ids: MailIDs(ticket: try numbers.id(), actionCode: try numbers.id(), mail: try numbers.id())
            ),
            mergeID: try numbers.id().text
        )
        _ = try flows.redeemTicket(redemption, in: transaction)
    }

    /// Simulates a person whose device waits, who opens one of ten e-mails and types what the device shows.
    private static func sign(
        _ run: Int,
        strangersPoll: Bool,
        _ flows: AccountFlows,
        in transaction: Transaction
    ) throws -> Outcomes {
        var numbers = Numbers(state: UInt64(run) &* 0x2545_F491_4F6C_DD1D)
        let own = Int.random(in: 0..<10, using: &numbers)
        var requests: [(ticket: Ticket, link: ActionCode)] = []
        for index in 0..<10 {
            let client = index == own ? "owner" : "stranger"
            requests.append(try ask("p\(run)@example.com", client: client, &numbers, flows, in: transaction))
        }
        for (index, request) in requests.enumerated() where strangersPoll || index == own {
            try poll(request.ticket, &numbers, flows, in: transaction)
        }
        let page = requests[Int.random(in: 0..<10, using: &numbers)].link
        guard case .awaitsApproval(_, let notes) = try flows.signInLinkStatus(of: page, in: transaction) else {
            throw Unexpected()
        }
        #expect(notes.hasOtherRequests)
        let digits = try flows.confirmation(of: requests[own].ticket)
        _ = try flows.approve(page, digits: digits, in: transaction)
        var outcomes = Outcomes()
        for (index, request) in requests.enumerated() {
            let state = try transaction.ticket(request.ticket.id)?.state
            if index == own { outcomes.lost += state == .approved ? 0 : 1 }
            if index != own { outcomes.strangersApproved += state == .approved ? 1 : 0 }
        }
        return outcomes
    }

    private struct Unexpected: Error {}

    @Test func `of thousands of sign-ins none approves a stranger's request, and fewer than 1.5 in 100 are lost`()
        async throws
    {
        let scene = try Scene { policy in
            policy.mailsPerAddress = .hourly(1000)
            policy.mailsPerAddressDaily = .daily(1000)
            policy.mailsPerClient = .hourly(10_000_000)
        }
        var outcomes = Outcomes()
        let batch = 50
        for start in stride(from: 0, to: Self.runs, by: batch) {
            let sums = try await scene.run { flows, transaction in
                try (start..<start + batch).map { run in
                    try Self.sign(run, strangersPoll: run.isMultiple(of: 2), flows, in: transaction)
                }
            }
            outcomes.lost += sums.reduce(0) { $0 + $1.lost }
            outcomes.strangersApproved += sums.reduce(0) { $0 + $1.strangersApproved }
        }
        #expect(outcomes.strangersApproved == 0)
        let limit = Double(Self.runs) * 0.015
        #expect(Double(outcomes.lost) < limit, "\(outcomes.lost) of \(Self.runs) lost")
        #expect(outcomes.lost > 0, "with 900 numbers some must meet")
        print("\(outcomes.lost) of \(Self.runs) requests lost, \(outcomes.strangersApproved) of a stranger's approved")
    }

    @Test func `digits that two requests show end both, and no other`() async throws {
        let scene = try Scene { policy in
            policy.mailsPerAddress = .hourly(10_000)
            policy.mailsPerAddressDaily = .daily(10_000)
            policy.mailsPerClient = .hourly(10_000)
        }
        try await scene.run { flows, transaction in
            var numbers = Numbers(state: 1)
            var requests: [(ticket: Ticket, link: ActionCode)] = []
            var byDigits: [String: Int] = [:]
            var pair: (first: Int, second: Int)?
            while pair == nil {
                let request = try Self.ask("ann@example.com", client: "c", &numbers, flows, in: transaction)
                let digits = try flows.confirmation(of: request.ticket)
                if let first = byDigits[digits] { pair = (first, requests.count) }
                byDigits[digits] = requests.count
                requests.append(request)
            }
            let (first, second) = try #require(pair)
            try Self.poll(requests[first].ticket, &numbers, flows, in: transaction)
            // Typed on the page of a request that is neither of the two.
            let page = try #require(requests.indices.first { $0 != first && $0 != second })
            let digits = try flows.confirmation(of: requests[first].ticket)
            guard case .wrongDigits = try flows.approve(requests[page].link, digits: digits, in: transaction) else {
                throw Unexpected()
            }
            for (index, request) in requests.enumerated() {
                let state = try transaction.ticket(request.ticket.id)?.state
                #expect(state == (index == first || index == second ? .ended : .open), "\(index)")
            }
        }
    }
}
