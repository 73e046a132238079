import AccountDatabase
import Database
import Foundation
import JSON
import SMTPHarness
import Testing

@testable import Server

@Suite("Waiting for an approval")
struct TicketWaitTests {
    /// A pace that never starts a round, so that only wake-ups end a wait early.
    private static let never = Changes.Pace.every(.seconds(600))
    /// The time in which something must have ended a wait of 20 seconds or more, as its own end does not.
    private static let early = Duration.seconds(15)

    // MARK: The call

    @Test func `an open ticket answers pending when the time is over, and an error without wait`() async throws {
        try await TestServer.run(pace: Self.never) { server in
            let asked = try server.askForLink("ann@example.com")
            let (answer, time) = try HeldTicket(server, asked.ticket, wait: 1).timedAnswer()
            #expect(answer.isPending, "\(answer.text)")
            #expect(answer.header("retry-after") == nil)
            #expect(time > .milliseconds(900) && time < Self.early, "\(time)")
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
        }
    }

    @Test(arguments: ["0", "51", "-1", "1.5", "\"5\"", "true", "[5]", "1e9"])
    func `a wait that is no whole number from 1 to 50 is refused`(wait: String) async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let body = Array("{\"ticket\":\"\(asked.ticket)\",\"wait\":\(wait)}".utf8)
            let answer = try server.call("accounts:signInWithTicket", bytes: body)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            #expect(answer.message.contains("wait must be a whole number from 1 to 50"), "\(answer.text)")
        }
    }

    @Test func `a code is answered at once, and a null wait means no wait`() async throws {
        try await TestServer.run(pace: Self.never) { server in
            let asked = try server.askForLink("ann@example.com")
            func call(_ more: String) throws -> (Answer, Duration) {
                let start = ContinuousClock.now
                let body = Array("{\"ticket\":\"\(asked.ticket)\",\(more)}".utf8)
                return (try server.call("accounts:signInWithTicket", bytes: body), ContinuousClock.now - start)
            }
            #expect(try call("\"wait\":null").0.code == "TICKET_PENDING")
            let (wrong, wrongTime) = try call("\"wait\":50,\"code\":\"\(asked.wrongCode)\"")
            #expect(wrong.code == "INVALID_SIGN_IN_CODE")
            let (right, rightTime) = try call("\"wait\":50,\"code\":\"\(asked.mail.digits)\"")
            #expect(right.status == 200 && !right["idToken"].isEmpty, "\(right.text)")
            #expect(max(wrongTime, rightTime) < Self.early)
        }
    }

    @Test func `a ticket that this server did not sign is refused before it could be held`() async throws {
        try await TestServer.run(["LIMITS_FAILURES_PER_CLIENT": "3"], pace: Self.never) { server in
            let asked = try server.askForLink("ann@example.com")
            let forged = String(asked.ticket.dropLast(4)) + (asked.ticket.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            for code in ["INVALID_TICKET", "INVALID_TICKET", "INVALID_TICKET", "TOO_MANY_ATTEMPTS_TRY_LATER"] {
                let (answer, time) = try HeldTicket(server, forged).timedAnswer()
                #expect(answer.code == code)
                #expect(time < Self.early)
            }
        }
    }

    // MARK: What ends a wait

    @Test func `an approval answers the waiting call before the next round`() async throws {
        try await TestServer.run(pace: Self.never) { server in
            var times: [Duration] = []
            for number in 0..<5 {
                let guest = try server.guest()
                let asked = try server.askForLink("ann\(number)@example.com", idToken: guest.idToken)
                let held = try HeldTicket(server, asked.ticket)
                try server.untilHeld(asked)
                let approved = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
                #expect(approved.status == 200)
                let (answer, time) = try held.timedAnswer()
                times.append(time)
                #expect(answer["localId"] == guest.uid, "\(answer.text)")
                #expect(answer.json["linked"]?.bool == true)
                let again = try HeldTicket(server, asked.ticket).answer()
                #expect(again["refreshToken"] == answer["refreshToken"], "a lost reply costs nothing")
            }
            // The round would take 600 seconds.
            #expect(times.allSatisfy { $0 < Self.early }, "\(times)")
        }
    }

    /// Something that happens to a ticket while a call waits for it, and the answer of that call.
    struct Event: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let act: @Sendable (TestServer, Asked) throws -> Void
    }

    private static let events = [
        Event(testDescription: "a denial", code: "TICKET_ENDED") { server, asked in
            let denied = try server.answerLink(asked.oobCode, "deny")
            #expect(denied.status == 200)
        },
        Event(testDescription: "wrong digits", code: "TICKET_ENDED") { server, asked in
            let digits = "&confirmation=\(asked.wrongConfirmation)"
            let wrong = try server.answerLink(asked.oobCode, "approve", digits)
            #expect(wrong.status == 403)
        },
        Event(testDescription: "the link", code: "TICKET_SPENT") { server, asked in
            let redeemed = try server.redeem(asked.oobCode, "ann@example.com")
            #expect(redeemed.status == 200)
        },
        Event(testDescription: "the code", code: "ok") { server, asked in
            let redeemed = try server.redeemTicket(asked.ticket, code: asked.mail.digits)
            #expect(redeemed.status == 200)
        },
        Event(testDescription: "wrong codes", code: "TICKET_ENDED") { server, asked in
            for _ in 0..<3 { _ = try server.redeemTicket(asked.ticket, code: asked.wrongCode) }
        },
    ]

    @Test(arguments: events)
    func `what happens to the ticket answers the waiting call at once`(_ event: Event) async throws {
        try await TestServer.run(pace: Self.never) { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let held = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            try event.act(server, asked)
            let (answer, time) = try held.timedAnswer()
            #expect(answer.code == event.code && !answer.isPending, "\(answer.text)")
            #expect(time < Self.early, "\(time)")
        }
    }

    @Test func `a mail that cannot be delivered answers the waiting call`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = .permanent(550, at: .recipient)
            let asked = try server.askWithoutMail("gone@example.com")
            #expect(try HeldTicket(server, asked["ticket"]).answer().code == "MAIL_FAILED")
        }
    }

    @Test func `the periodic read finds expired tickets and changes by other processes`() async throws {
        try await TestServer.run(pace: .every(.milliseconds(300))) { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            let held = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            let other = try server.askForLink("ben@example.com")
            let otherHeld = try HeldTicket(server, other.ticket)
            try server.untilHeld(other)
            try server.elsewhere { store in
                _ = try store.database.writeNow { transaction in
                    try transaction.execute("UPDATE tickets SET state = 'ended' WHERE email = 'ben@example.com'")
                }
            }
            #expect(try otherHeld.answer().code == "TICKET_ENDED")
            server.clock.advance(seconds: 601)
            #expect(try held.answer().code == "TICKET_EXPIRED")
        }
    }

    @Test func `a held call costs no statement between rounds`() async throws {
        try await TestServer.run(adjust: { $0.mailPoll = .seconds(600) }) { server in
            let asked = try (0..<20).map { try server.askForLink("ann\($0)@example.com") }
            let held = try asked.map { try HeldTicket(server, $0.ticket) }
            try server.untilHeld(asked[19], calls: 20)
            let start = ContinuousClock.now
            server.statements.clear()
            usleep(2_000_000)
            let reads = server.statements.all.filter { $0.contains("FROM tickets") }.count
            // A round for each second, and two that are cut off; each may be spread over ten ticks.
            let rounds = Int((ContinuousClock.now - start) / .seconds(1)) + 2
            #expect((1...10 * rounds).contains(reads), "\(reads)")
            _ = held
        }
    }

    @Test func `a merge that waits for hooks answers the waiting call with its report, once`() async throws {
        try await HookTests.run(["merge.prepare"]) { server, receivers in
            let owner = try server.signIn("ann@example.com")
            let guest = try server.guest()
            try server.set("notes/a", guest.idToken)
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let held = try HeldTicket(server, asked.ticket, onConflict: "merge")
            try server.untilHeld(asked)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            let answer = try held.answer()
            #expect(answer["localId"] == owner.uid, "\(answer.text)")
            #expect(answer.json["merged"]?.bool == true)
            #expect(try HeldTicket(server, asked.ticket, onConflict: "merge").answer()["localId"] == owner.uid)
            try server.eventually("the outcome") { receivers[0].messages("merge.commit").count == 1 }
            #expect(receivers[0].messages("merge.prepare").count == 1)
        }
    }

    @Test func `a conflict answers the waiting call and keeps the approval`() async throws {
        try await TestServer.run(pace: Self.never) { server in
            let owner = try server.signIn("ann@example.com")
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let held = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(try held.answer().code == "EMAIL_EXISTS")
            let merged = try HeldTicket(server, asked.ticket, onConflict: "merge").answer()
            #expect(merged["localId"] == owner.uid, "\(merged.text)")
        }
    }

    // MARK: Clients that leave, and stops

    @Test(arguments: [false, true])
    func `an approval is not redeemed for a client that has hung up`(asGuest: Bool) async throws {
        try await TestServer.run(pace: Self.never) { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: asGuest ? guest.idToken : nil)
            var held: HeldTicket? = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            _ = held
            held = nil
            // The node asks the system about the connection when the ticket has changed, and not before.
            usleep(50_000)
            server.log.clear()
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            try server.eventually("the wait is over") { server.instance.services.changes.counts.calls == 0 }
            usleep(200_000)
            #expect(!server.log.contains("user.created") && !server.log.contains("user.linked"))
            #expect(try HeldTicket(server, asked.ticket).answer().status == 200)
        }
    }

    @Test func `the answer to a call that waited can be repeated for ten minutes, without a session too`() async throws
    {
        try await TestServer.run(pace: Self.never) { server in
            let asked = try server.askForLink("ann@example.com")
            let held = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            let answer = try held.answer()
            #expect(answer.json["linked"]?.bool == false && !answer["refreshToken"].isEmpty, "\(answer.text)")
            for _ in 0..<2 {
                let repeated = try HeldTicket(server, asked.ticket).answer()
                #expect(repeated["refreshToken"] == answer["refreshToken"], "\(repeated.text)")
            }
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_SPENT")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_SPENT")
            server.clock.advance(seconds: 601)
            #expect(try HeldTicket(server, asked.ticket).answer().code == "TICKET_SPENT")
        }
    }

    @Test func `the place of a client that has hung up is free after a round`() async throws {
        let settings = ["LIMITS_STREAMS_PER_CLIENT": "1"]
        try await TestServer.run(settings, pace: .every(.milliseconds(300))) { server in
            let asked = try server.askForLink("ann@example.com")
            let other = try server.askForLink("ben@example.com")
            var held: HeldTicket? = try HeldTicket(server, asked.ticket, wait: 50)
            try server.untilHeld(asked)
            #expect(try HeldTicket(server, other.ticket).answer().header("retry-after") == "5")
            _ = held
            held = nil
            let start = ContinuousClock.now
            try server.eventually("a place") {
                try HeldTicket(server, other.ticket, wait: 1).answer().header("retry-after") == nil
            }
            // Without the round it would be the end of the wait, after 50 seconds.
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test func `a server that stops answers pending at once`() async throws {
        try await TestServer.run(pace: Self.never) { server in
            let asked = try (0..<3).map { try server.askForLink("ann\($0)@example.com") }
            let held = try asked.map { try HeldTicket(server, $0.ticket, wait: 50) }
            for asked in asked { try server.untilHeld(asked) }
            let start = ContinuousClock.now
            let stopping = Thread { server.stop() }
            stopping.start()
            for call in held {
                let answer = try call.answer()
                #expect(answer.isPending, "\(answer.text)")
                #expect(answer.header("retry-after") == "1")
            }
            #expect(ContinuousClock.now - start < Self.early)
        }
    }

    // MARK: Limits

    @Test func `a second call for a ticket ends the first, which asks again later`() async throws {
        try await TestServer.run(["LIMITS_STREAMS_PER_CLIENT": "1"], pace: Self.never) { server in
            let asked = try server.askForLink("ann@example.com")
            let first = try HeldTicket(server, asked.ticket)
            try server.untilHeld(asked)
            let second = try HeldTicket(server, asked.ticket)
            let answer = try first.answer()
            #expect(answer.isPending && answer.header("retry-after") == "2", "\(answer.text)")
            _ = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(try !second.answer()["idToken"].isEmpty)
        }
    }

    @Test func `held calls count against the streams of their client and of the server`() async throws {
        for settings in [["LIMITS_STREAMS_PER_CLIENT": "2"], ["LISTENERS": "2"]] {
            try await TestServer.run(settings, pace: Self.never) { server in
                let guest = try server.guest()
                let asked = try (0..<3).map { try server.askForLink("ann\($0)@example.com") }
                let stream = try EventStream(server, guest.idToken)
                try stream.ready()
                let held = try HeldTicket(server, asked[0].ticket)
                try server.untilHeld(asked[0])
                let (refused, time) = try HeldTicket(server, asked[1].ticket).timedAnswer()
                #expect(refused.isPending, "\(refused.text)")
                #expect(refused.header("retry-after") == "5")
                #expect(time < Self.early)
                #expect(try EventStream(server, guest.idToken).head.code == "TOO_MANY_STREAMS")
                // A call without a wait is never refused for that.
                #expect(try server.redeemTicket(asked[1].ticket).code == "TICKET_PENDING")
                _ = try server.answerLink(asked[0].oobCode, "approve", "&confirmation=\(asked[0].confirmation)")
                #expect(try held.answer().status == 200)
                let next = try HeldTicket(server, asked[2].ticket, wait: 1).answer()
                #expect(next.isPending && next.header("retry-after") == nil)
            }
        }
    }

    @Test func `in production a guest has three held calls, and three streams beside them`() async throws {
        try await TestServer.runInProduction { server in
            let guest = try server.guest()
            let asked = try (0..<4).map { try server.askForLink("ann\($0)@example.com", idToken: guest.idToken) }
            let held = try asked.prefix(3).map { try HeldTicket(server, $0.ticket, wait: 50) }
            for asked in asked.prefix(3) { try server.untilHeld(asked) }
            let streams = try (0..<3).map { _ in try EventStream(server, guest.idToken) }
            for stream in streams { try stream.ready() }
            #expect(try HeldTicket(server, asked[3].ticket).answer().header("retry-after") == "5")
            #expect(try EventStream(server, guest.idToken).head.code == "TOO_MANY_STREAMS")
            _ = held
        }
    }
}
