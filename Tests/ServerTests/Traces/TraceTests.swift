import AccountDatabase
import Accounts
import Database
import JSON
import Network
import SMTPHarness
import Testing

@testable import Server

@Suite("The trace of e-mails")
struct TraceTests {
    private static let browser = [
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Accept-Language: en",
    ]

    private static func ask(_ server: TestServer, _ email: String, headers: [String] = browser) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)],
            headers: headers
        )
    }

    /// Waits until the newest request of a name has these events.
    private static func expect(
        _ events: [String],
        of name: String,
        _ server: TestServer
    ) throws -> TracedRequestReport {
        var newest: TracedRequestReport?
        try server.withOperator { desk throws in
            try server.eventually("\(name) has \(events)") {
                newest = try desk.trace(name).items.first
                return newest?.events.map(\.event) == events
            }
        }
        return try #require(newest)
    }

    @Test func `a request is traced from the asking device to the sign-in, under one identifier`() async throws {
        try await TestServer.runInProduction { server in
            let asked = try server.askForLink("ann@example.com", headers: Self.browser)
            _ = try Self.expect(["queued", "sent"], of: "ann@example.com", server)
            #expect(try server.open(asked.mail.link, headers: Self.browser).status == 200)
            _ = try Self.expect(["queued", "sent", "opened"], of: "ann@example.com", server)
            let signedIn = try Tokens(server.redeem(asked.oobCode, "ann@example.com", headers: Self.browser))
            let traced = try Self.expect(["queued", "sent", "opened", "redeemed"], of: "ann@example.com", server)
            #expect(traced.request == asked.requestID && traced.kind == "sign-in")
            #expect(traced.summary == "The user signed in with the link.")
            let queued = traced.events[0], mail = try #require(queued.mail)
            #expect(queued.device == "Firefox · Linux")
            #expect(queued.network?.count == 16, "a label, and not the address")
            #expect(Set(traced.events.compactMap(\.network)).count == 1, "equal networks have equal labels")
            #expect(traced.events[1].detail?.hasPrefix("250 2.0.0 Ok: queued as ") == true, "the relay's reply")
            #expect(traced.events[3].uid == signedIn.uid)

            #expect(server.log.contains("e-mail \(mail) (sign-in) sent in"), "the log has the same identifier")
            #expect(asked.mail.raw.contains("Message-ID: <\(mail)."))
            let proof = try #require(asked.mail.raw.split(separator: "<\(mail).").last?.prefix { $0 != "@" })
            #expect(proof.count == 24 && !server.log.contains(String(proof)), "which stands in no log")
            try server.withOperator { desk throws in
                #expect(try desk.mail(mail).state == "sent")
                let messageID = "<\(mail).\(proof)@example.com>"
                for name in [mail, traced.request, asked.ticket, messageID, signedIn.uid] {
                    #expect(try desk.trace(name).items.first?.request == traced.request, "\(name)")
                }
                for name in ["<\(mail).AAAAAAAAAAAAAAAAAAAAAAAA@example.com>", "AZ3qnUQ5T0mQm1Vd3mYx2A"] {
                    #expect((try? desk.trace(name).items)?.first == nil, "\(name)")
                }
            }
            let rows = try server.withDatabase { transaction in
                try transaction.all("SELECT address FROM mail_trace WHERE address IS NOT NULL") { try $0.text(0) }
            }
            #expect(rows.allSatisfy { $0.count == 44 && !$0.contains("ann") }, "keyed hashes")
        }
    }

    @Test func `the advice names a command that can be pasted, whatever the address and the search`() async throws {
        try await TestServer.runInProduction { server in
            server.smtp?.faults = FaultPlan([
                .init(at: .recipient, .reply(SMTPReply(550, "5.1.1", "User unknown")))
            ])
            for (email, word) in [
                ("gone@example.com", "gone@example.com"), ("`id`'s@example.com", "'`id`'\\''s@example.com'"),
            ] {
                let asked = try Self.ask(server, email)
                let newest = try Self.expect(["queued", "failed"], of: email, server)
                #expect(newest.advice?.hasSuffix("run: latchkey mail allow \(word)") == true, "\(newest.advice ?? "")")
                try server.withOperator { desk throws in
                    let mail = try #require(newest.events[0].mail)
                    for name in [newest.request, mail, asked["ticket"]] {
                        let found = try desk.trace(name)
                        #expect(found.advice == newest.advice && found.suppressedUntil != nil, "\(name)")
                    }
                    // Once the ticket is deleted, nothing knows the address.
                    try server.withDatabase { _ = try $0.execute("DELETE FROM tickets") }
                    let later = try desk.trace(mail)
                    #expect(later.advice?.hasSuffix("run: latchkey outbox retry \(mail)") == true)
                    #expect(try desk.retryMail(mail) == .mailboxReleased)
                    #expect(try desk.trace(email).suppressedUntil == nil)
                }
            }
        }
    }

    @Test func `an e-mail that waits behind an outage of the relay says so before it was tried`() async throws {
        try await TestServer.runInProduction { server in
            _ = try Self.ask(server, "first@example.com")
            _ = try Self.expect(["queued", "sent"], of: "first@example.com", server)
            let smtp = try #require(server.smtp)
            smtp.faults = FaultPlan([.init(at: .greeting, .reply(SMTPReply(421, "4.3.2", "Closed for repairs")))])
            // E-mails that are requested at once may all be tried at once.
            _ = try Self.ask(server, "second@example.com")
            _ = try Self.expect(["queued", "postponed"], of: "second@example.com", server)
            let later = ["third@example.com", "fourth@example.com", "fifth@example.com"]
            for email in later { _ = try Self.ask(server, email) }
            try server.withOperator { desk throws in
                var untried: [String: TraceReport] = [:]
                try server.eventually("e-mails wait for the relay") {
                    untried = try later.reduce(into: [:]) { reports, email in reports[email] = try desk.trace(email) }
                    untried = untried.filter { $1.items.first?.events.map(\.event) == ["queued"] }
                    return !untried.isEmpty
                        && untried.values.allSatisfy { $0.summary.contains("because the relay has been away since 20") }
                }
                for (email, report) in untried {
                    #expect(report.summary.contains("greeting: 421 4.3.2 Closed for repairs"), "\(report.summary)")
                    #expect(report.advice?.hasSuffix("run: latchkey mail test \(email)") == true)
                }
            }
        }
    }

    @Test func `the newest attempts tell whether the relay answers`() async throws {
        let meadow = try Meadow()
        func state(after attempts: [(event: TraceEvent, detail: String)]) throws -> RelayState {
            try meadow.database.writeNow { transaction in
                try transaction.execute("DELETE FROM mail_trace")
                for (index, attempt) in attempts.enumerated() {
                    try transaction.trace(TraceEntry(attempt.event, of: "r", detail: attempt.detail, at: Int64(index)))
                }
                return try RelayState(in: transaction)
            }
        }
        #expect(try state(after: []) == .unknown)
        #expect(try state(after: [(.queued, ""), (.sent, "250 2.0.0 Ok")]) == .answers(at: 1))
        let away = [(TraceEvent.postponed, "connect: refused"), (.queued, ""), (.postponed, "STARTTLS: 454 4.7.0")]
        #expect(
            try state(after: [(.postponed, "connect: long ago"), (.sent, "250 2.0.0 Ok")] + away)
                == .away(since: 2, lastAt: 4, reason: "STARTTLS: 454 4.7.0")
        )
        // An e-mail that was given up for its age says nothing about the relay, and a reply to RCPT does.
        #expect(
            try state(after: away + [(.failed, "the e-mail waited too long")])
                == .away(since: 0, lastAt: 2, reason: "STARTTLS: 454 4.7.0")
        )
        for event in [TraceEvent.postponed, .failed] {
            #expect(try state(after: away + [(event, "RCPT: 450 4.2.1 Later"), (.queued, "")]) == .answers(at: 3))
        }
    }

    @Test(
        arguments: [
            ("RCPT: 450 4.7.1 greylisted", "A mail server does not accept the e-mail yet."),
            ("DATA: 421 4.3.2 busy", "A mail server does not accept the e-mail yet."),
            ("RCPT: 554 5.7.1 SPF", "A mail server refuses the sender, and not the recipient,"),
            ("AUTH: 535 5.7.8 wrong password", "A mail server refuses the sender, and not the recipient,"),
            ("connect: refused", "To see what is wrong with the relay, run:"),
        ]
    )
    func `an e-mail that is tried again has advice by the mail server's reply`(reply: String, advice: String) {
        let events = [TraceEntry(.queued, of: "r"), TraceEntry(.postponed, of: "r", detail: reply)]
        let verdict = TraceVerdict(events, waiting: nil, address: "ann@example.com")
        #expect(verdict.summary == "The e-mail waits, because the last attempt failed: \(reply)")
        #expect(verdict.advice?.hasPrefix(advice) == true, "\(verdict.advice ?? "")")
        #expect(verdict.advice?.hasSuffix("run: latchkey mail test ann@example.com") == true)
    }

    @Test func `an untried e-mail names what it waits for`() {
        func mail(_ relay: RelayState, dueAt: Int64 = 0, before: Int64 = 0, at now: Int64 = 1000) -> WaitingMail {
            WaitingMail(relay: relay, queuedAt: 0, dueAt: dueAt, before: before, now: now)
        }
        let since = "1970-01-01T00:00:00.000Z"
        for (mail, summary, advice) in [
            (
                mail(.away(since: 0, lastAt: 0, reason: "connect: refused"), before: 1),
                "The e-mail was not tried yet, because the relay has been away since \(since), behind 1 other e-mail. "
                    + "The last attempt, at \(since): connect: refused",
                "Latchkey tries the relay again by itself. To see what is wrong with it, run: T"
            ),
            (
                mail(.unknown, dueAt: 2000), "A server is sending the e-mail right now.",
                "Run this command again in a minute."
            ),
            (
                mail(.answers(at: 0), before: 12),
                "The e-mail waits for its first attempt, behind 12 other e-mails. The relay answered last at \(since).",
                "Wait: the relay takes the e-mails one after another. For the queue, run: latchkey outbox list --state waiting"
            ),
            (
                mail(.answers(at: 0)), "The e-mail waits in the outbox for its first attempt.",
                "Run this command again in a minute."
            ),
            (
                mail(.unknown, before: 10_000, at: 60_000),
                "No server has tried to send the e-mail since \(since), behind 10000 or more other e-mails.",
                "See whether a server runs on this database. If one does, look for 'mail' lines with level error in its log."
            ),
        ] {
            #expect(mail.summary == summary)
            #expect(mail.advice(test: "T") == advice)
        }
        // One that was tried.
        #expect(mail(.unknown, dueAt: 60_000).retry == "; next attempt at 1970-01-01T00:01:00.000Z")
        #expect(mail(.answers(at: 0)).retry == "; it is due again")
        #expect(
            mail(.away(since: 0, lastAt: 0, reason: "r")).retry
                == "; it is due again. The relay has been away since \(since), last tried at \(since)"
        )
    }

    @Test(arguments: [
        ("ann+x@example.com", "ann+x@example.com"), ("-x@example.com", "-- -x@example.com"), ("", "''"),
        ("a b", "'a b'"), ("$HOME", "'$HOME'"), ("o'hara@example.com", "'o'\\''hara@example.com'"),
        ("ü@example.com", "'ü@example.com'"),
    ])
    func `a text is one argument of a shell`(text: String, argument: String) {
        #expect(text.shellArgument == argument)
    }

    @Test func `requests for known and unknown addresses leave the same rows`() async throws {
        try await TestServer.runInProduction { server in
            _ = try server.signIn("known@example.com")
            try server.waitUntilMailsAreFinished()
            try server.eventually("the sign-in is traced") {
                try server.withDatabase { transaction in
                    try transaction.execute("DELETE FROM mail_trace WHERE event = 'redeemed'") == 1
                }
            }
            try server.withDatabase { _ = try $0.execute("DELETE FROM mail_trace") }
            for email in ["known@example.com", "other@example.com"] { _ = try server.askForLink(email) }
            try server.waitUntilMailsAreFinished()
            let rows = try server.withDatabase { transaction in
                try transaction.all(
                    """
                    SELECT event, kind, uid, device, network, substr(detail, 1, 23), occurrences,
                        CAST(length(address) AS BIGINT), CAST(length(mail) AS BIGINT)
                    FROM mail_trace ORDER BY event, id
                    """
                ) { row in
                    try (0..<9).map { column in
                        column < 6
                            ? try row.optionalText(column) ?? "-" : "\(try row.optionalInteger(column) ?? 0)"
                    }
                }
            }
            try #require(rows.count == 4)
            #expect(rows[0] == rows[1] && rows[2] == rows[3])
        }
    }

    @Test func `approval, denial and wrong digits are traced with the reader's device`() async throws {
        try await TestServer.run { server in
            for (action, events) in [("approve", ["approved"]), ("deny", ["denied"])] {
                let email = "\(action)@example.com"
                let asked = try server.askForLink(email)
                try server.waitUntilMailsAreFinished()
                _ = try server.redeemTicket(asked.ticket)
                let fields = action == "approve" ? "&confirmation=\(asked.confirmation)" : ""
                #expect(try server.answerLink(asked.oobCode, action, fields, headers: Self.browser).status == 200)
                let traced = try Self.expect(["queued", "sent"] + events, of: email, server)
                #expect(traced.events.last?.device == "Firefox · Linux")
            }
            let asked = try server.askForLink("wrong@example.com")
            try server.waitUntilMailsAreFinished()
            for _ in 0..<3 { _ = try server.redeemTicket(asked.ticket, code: asked.wrongCode) }
            let traced = try Self.expect(["queued", "sent", "ended"], of: "wrong@example.com", server)
            #expect(traced.summary == "The request was ended by wrong codes.")
        }
    }

    @Test func `an opening counts once a minute, a few times in all, and says if it looks like a scanner`() async throws
    {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 60)
            for _ in 0..<10 { _ = try server.open(asked.mail.link, headers: Self.browser) }
            _ = try Self.expect(["queued", "sent", "opened"], of: "ann@example.com", server)
            server.clock.advance(seconds: 61)
            _ = try server.open(asked.mail.link, headers: ["User-Agent: Barracuda"])
            let traced = try Self.expect(["queued", "sent", "opened", "opened"], of: "ann@example.com", server)
            #expect(traced.events.map(\.looksLikeScanner) == [nil, nil, false, true])
            try server.withDatabase { transaction in
                for _ in 0..<30 {
                    let opening = LinkOpening(
                        code: try transaction.first("SELECT code FROM action_codes") { try $0.text(0) } ?? "",
                        device: TracedDevice(),
                        looksLikeScanner: false
                    )
                    try transaction.execute("UPDATE mail_trace SET at = at - 60001")
                    try transaction.trace(opening)
                }
            }
            try server.withOperator { desk throws in
                let events = try desk.trace("ann@example.com").items[0].events
                #expect(events.count { $0.event == "opened" } == LinkOpening.mostPerRequest)
            }
        }
    }

    @Test func `a refusal names its limit, and many of one minute take two rows`() async throws {
        try await TestServer.run(file: "{ limits: { mailsPerAddress: 2 } }") { server in
            server.clock.startHour()
            for _ in 0..<12 { _ = try Self.ask(server, "ann@example.com") }
            try server.waitUntilMailsAreFinished()
            try server.withOperator { desk throws in
                try server.eventually("the first refusal is written at once") {
                    try desk.trace("ann@example.com").items.first?.events.first?.event == "refused"
                }
                let first = try desk.trace("ann@example.com")
                #expect(first.items[0].summary == "A limit refused the request: limits.mailsPerAddress")
                // The limit is not why the e-mails before did not come.
                let answer = "A limit refused the request: limits.mailsPerAddress. The request before: The "
                #expect(first.summary.hasPrefix(answer), "\(first.summary)")
                #expect(first.advice == first.items[1].advice && first.advice != nil)
                server.clock.advance(seconds: 60)
                try server.eventually("the others are counted at the minute's end") {
                    try desk.trace("ann@example.com").items.flatMap(\.events).filter { $0.event == "refused" }
                        .map(\.count).sorted() == [1, 10]
                }
            }
        }
    }

    @Test func `a refused request of a link's page is traced under the address`() async throws {
        try await TestServer.run(file: "{ limits: { mailsPerAddress: 1 } }") { server in
            server.clock.startHour()
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 1000)
            #expect(try server.answerLink(asked.oobCode, "resend").status == 429)
            let refused = try Self.expect(["refused"], of: "ann@example.com", server)
            #expect(refused.summary == "A limit refused the request: limits.mailsPerAddress")
            #expect(refused.kind == "sign-in")
        }
    }

    @Test func `refusals of many addresses and networks leave few rows a minute`() async throws {
        try await TestServer.run { server in
            server.clock.startHour()
            func refuse(_ address: String, from network: Int) throws {
                let client = try #require(IPAddress("10.\(network / 256).\(network % 256).1"))
                server.instance.services.traces.recordRefusal(
                    by: "limits.mailsPerMinute",
                    of: address,
                    kind: .signIn,
                    from: client,
                    device: TracedDevice(),
                    at: server.clock.now()
                )
            }
            func refused(_ condition: SQL) throws -> Int64 {
                try server.withDatabase { transaction in
                    try transaction.first("SELECT count(*) FROM mail_trace WHERE event = 'refused' AND \(condition)") {
                        try $0.integer(0)
                    } ?? 0
                }
            }
            for number in 0..<200 {
                try refuse("victim@example.com", from: number)
                try refuse("one\(number)@example.com", from: 1000)
            }
            for number in 0..<200 {
                for _ in 0..<2 { try refuse("a\(number)@example.com", from: 2000 + number) }
            }
            server.clock.advance(seconds: 60)
            try server.eventually("each kind has a row, and one for the rest of its minute") {
                try refused("occurrences > 0") == Int64(TraceRecorder.mostKinds) + 24
            }
            #expect(try refused("occurrences = 1") == Int64(TraceRecorder.mostKinds) + 24)
        }
    }

    @Test func `pages continue where they ended, and tell what is no token`() async throws {
        try await TestServer.run { server in
            server.clock.startHour()
            for _ in 0..<5 { _ = try server.askForLink("ann@example.com") }
            try server.withOperator { desk throws in
                var seen: [String] = []
                var page: String?
                repeat {
                    let report = try desk.trace("ann@example.com", page: page, limit: 2)
                    #expect(report.items.count <= 2)
                    seen += report.items.map(\.request)
                    page = report.nextPage
                } while page != nil
                let whole = try desk.trace("ann@example.com", limit: 20)
                #expect(seen.count == 5 && Set(seen).count == 5 && seen == whole.items.map(\.request))
                #expect(whole.nextPage == nil)
                #expect(throws: Operator.Failure.self) { try desk.trace("ann@example.com", page: "x") }
                #expect(try desk.trace("nobody@example.com").items.isEmpty)
            }
        }
    }

    @Test func `traces are deleted with all their events, and those of others stay`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            _ = try server.signIn("bob@example.com")
            try server.waitUntilMailsAreFinished()
            try server.elsewhere { store in
                let flows = AccountFlows(policy: Policy(), secrets: store.secrets)
                try store.database.writeNow { transaction in
                    let ann = try #require(try transaction.user(email: "ann@example.com"))
                    _ = try transaction.deleteTraces(of: flows.traceSubject(of: ann))
                }
            }
            try server.withOperator { desk throws in
                #expect(try desk.trace("ann@example.com").items.isEmpty)
                #expect(try desk.trace("bob@example.com").items.count == 1)
            }
        }
    }
}
