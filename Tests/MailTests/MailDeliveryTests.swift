import Accounts
import Mail
import SMTPHarness
import Synchronization
import Testing
import Transfer

@Suite("Delivery of e-mails", .timeLimit(.minutes(1)))
struct MailDeliveryTests {
    @Test
    func `a queued mail goes at once when it is announced`() async throws {
        var settings = DeliverySettings.hasty
        settings.poll = 60_000
        try await withDelivery(settings) { scene, delivery in
            try await Task.sleep(for: .milliseconds(100))
            // The first e-mail opens the connection.
            for number in 0..<3 {
                scene.outbox.add([.example(.signIn, number: number)])
                let start = ContinuousClock.now
                delivery.wake()
                #expect(await scene.outbox.allDone())
                if number > 0 { #expect(ContinuousClock.now - start < .seconds(10)) }
            }
            #expect(scene.server.messages.count == 3)
        }
    }

    @Test
    func `a queued mail goes soon when it is not announced`() async throws {
        try await withDelivery { scene, _ in
            scene.outbox.add([.example(.signIn)])
            #expect(await scene.outbox.allDone())
        }
    }

    @Test
    func `many mails go once each, over few connections, in few transactions`() async throws {
        try await withDelivery { scene, delivery in
            scene.outbox.add((0..<300).map { .example(.signIn, number: $0) })
            delivery.wake()
            #expect(await scene.outbox.allDone())
            let received = scene.server.messages.compactMap { ReceivedMail($0.raw)?["Message-ID"] }
            #expect(received.count == 300)
            #expect(Set(received).count == 300)
            #expect(scene.server.statistics.connections <= 4)
            #expect(scene.outbox.state.withLock { $0.records } < 300)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let plan: FaultPlan
        var copies = 1
        /// Whether the server says nothing until the client gives up.
        var hangs = false
    }

    @Test(arguments: [
        Fault(testDescription: "refused", plan: .refusingConnections),
        Fault(testDescription: "421 at the greeting", plan: .unavailable()),
        Fault(testDescription: "554 at the greeting", plan: .permanent(554, at: .greeting)),
        Fault(testDescription: "hanging greeting", plan: .hanging(at: .greeting), hangs: true),
        Fault(testDescription: "4xx for the recipient", plan: .transient(450, at: .recipient)),
        Fault(testDescription: "4xx for the message", plan: .transient(451, at: .messageEnd)),
        Fault(testDescription: "sender refused", plan: .permanent(553, at: .sender)),
        Fault(testDescription: "dropped in the middle", plan: .droppingMidData(after: 500)),
        Fault(testDescription: "dropped at RCPT", plan: .dropping(at: .recipient)),
        Fault(testDescription: "hanging at DATA", plan: .hanging(at: .data), hangs: true),
        Fault(testDescription: "dropped after the end, not kept", plan: .droppingAfterData(kept: false)),
    ])
    func `every mail arrives once after a fault is over`(_ fault: Fault) async throws {
        let totalTimeout = fault.hangs ? 5000 : 20_000
        try await withDelivery(totalTimeout: totalTimeout * patience, faults: fault.plan) { scene, delivery in
            scene.outbox.add((0..<10).map { .example(.signIn, number: $0) })
            delivery.wake()
            try await Task.sleep(for: .milliseconds(700))
            #expect(scene.outbox.done == 0)
            #expect(scene.server.messages.isEmpty)
            scene.server.faults = .none
            #expect(await scene.outbox.allDone())
            let received = scene.server.messages.compactMap { ReceivedMail($0.raw)?["Message-ID"] }
            #expect(received.count == 10)
            #expect(Set(received).count == 10)
        }
    }

    @Test
    func `a mail whose outcome the server never told goes again under the same Message-ID`() async throws {
        try await withDelivery(faults: .droppingAfterData(kept: true, first: 1)) { scene, delivery in
            scene.outbox.add([.example(.signIn)])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            let received = scene.server.messages.compactMap { ReceivedMail($0.raw)?["Message-ID"] }
            #expect(received.count == 2)
            #expect(Set(received).count == 1)
            #expect(scene.log.all.contains { if case .outcomeUnknown = $0 { true } else { false } })
        }
    }

    @Test
    func `a refused recipient ends that mail and no other`() async throws {
        let plan = FaultPlan.permanent(550, at: .recipient, recipient: "gone@example.org")
        try await withDelivery(faults: plan) { scene, delivery in
            scene.outbox.add([
                .example(.signIn), .example(.signIn, to: "gone@example.org"), .example(.verifyEmail, number: 3),
            ])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            #expect(scene.outbox.result(1) == .sent)
            let reason = "RCPT: 550 5.1.1"
            #expect(scene.outbox.result(2) == .noMailbox(address: "gone@example.org", isNews: true, reason: reason))
            #expect(scene.outbox.result(3) == .sent)
        }
    }

    @Test(arguments: [
        FaultPlan([.init(at: .recipient, .reply(SMTPReply(550, "5.7.1", "rejected by policy")))]),
        FaultPlan([.init(at: .recipient, .reply(SMTPReply(550, "5.2.1", "mailbox disabled")))]),
        .permanent(550, at: .messageEnd),
    ])
    func `only a RCPT reply with 5 1 x says that there is no such mailbox`(_ plan: FaultPlan) async throws {
        try await withDelivery(faults: plan) { scene, delivery in
            scene.outbox.add([.example(.signIn)])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            guard case .failed = scene.outbox.result(1) else {
                Issue.record("\(String(describing: scene.outbox.result(1)))")
                return
            }
        }
    }

    @Test
    func `no more mails are taken than a slow server takes in half a second`() async throws {
        try await withDelivery(totalTimeout: 20_000, faults: .slow(.milliseconds(30))) { scene, delivery in
            scene.outbox.add((0..<120).map { .example(.signIn, number: $0) })
            delivery.wake()
            #expect(await scene.outbox.allDone())
            // Each e-mail takes three or four replies: 4 workers send 16 to 22 e-mails in half a second.
            #expect(scene.outbox.mostInHand <= 50, "\(scene.outbox.mostInHand)")
            #expect(scene.server.messages.count == 120)
        }
    }

    @Test
    func `of a fast server's mails as many are taken as ever`() {
        var pace = SendingPace()
        #expect(pace.batch(workers: 4, most: 128) == 16)
        for _ in 0..<8 { pace.record(.milliseconds(2)) }
        #expect(pace.batch(workers: 4, most: 128) == 128)
        for _ in 0..<100 { pace.record(.milliseconds(150)) }
        #expect(pace.batch(workers: 4, most: 128) == 13)
        for _ in 0..<100 { pace.record(.seconds(30)) }
        #expect(pace.batch(workers: 4, most: 128) == 4)
        #expect(pace.batch(workers: 4, most: 1) == 1)
    }

    @Test
    func `a mail that is deferred waits longer each time and counts its attempts`() async throws {
        try await withDelivery(faults: .transient(450, at: .recipient, first: 3)) { scene, delivery in
            scene.outbox.add([.example(.signIn)])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            #expect(scene.outbox.attempts(1) == 3)
            #expect(scene.server.messages.count == 1)
        }
    }

    @Test
    func `an outage costs no mail an attempt and the server few connections`() async throws {
        try await withDelivery(faults: .unavailable()) { scene, delivery in
            scene.outbox.add((0..<50).map { .example(.signIn, number: $0) })
            delivery.wake()
            #expect(await scene.log.waits(for: 3) { if case .serverUnavailable = $0 { true } else { false } })
            #expect(scene.server.statistics.connections < 30)
            scene.server.faults = .none
            #expect(await scene.outbox.allDone())
            #expect((1...50).allSatisfy { scene.outbox.attempts($0) == 0 })
            #expect(scene.server.messages.count == 50)
            #expect(scene.log.all.contains(.serverRecovered))
        }
    }

    @Test
    func `a server that refuses our password is left alone, said clearly, and costs no mail`() async throws {
        try await withDelivery(faults: .permanent(554, at: .greeting)) { scene, delivery in
            scene.outbox.add([.example(.signIn)])
            delivery.wake()
            #expect(await scene.log.waits { if case .misconfigured = $0 { true } else { false } })
            #expect(scene.outbox.done == 0)
            #expect(scene.outbox.attempts(1) == 0)
        }
    }

    @Test
    func `a refusal of the sender's domain keeps its mails, stops no others, and is said once`() async throws {
        let plan = FaultPlan.permanent(550, enhanced: "5.7.515", at: .recipient, recipient: "ann@outlook.example")
        try await withDelivery(faults: plan) { scene, delivery in
            scene.outbox.add([
                .example(.signIn, to: "ann@outlook.example"), .example(.signIn, to: "ann@outlook.example"),
                .example(.signIn, to: "bob@example.org"),
            ])
            delivery.wake()
            #expect(
                await scene.log.waits {
                    if case .sent(id: "mail-3", kind: _, milliseconds: _) = $0 { true } else { false }
                },
                "others go on"
            )
            #expect(
                await scene.log.waits {
                    if case .postponed(id: "mail-2", kind: _, reason: _, milliseconds: _) = $0 { true } else { false }
                }
            )
            #expect(
                await scene.log.waits {
                    if case .postponed(id: "mail-1", kind: _, reason: _, milliseconds: _) = $0 { true } else { false }
                }
            )
            let refused = scene.log.all.filter { if case .senderRefused = $0 { true } else { false } }
            #expect(refused.count == 1 && refused.first?.level == .error)
            #expect(refused.first?.description.contains("SPF, DKIM and DMARC") == true)
            #expect(!scene.log.all.contains { if case .misconfigured = $0 { true } else { false } })
            #expect(await scene.outbox.waits(forDone: 1))
            #expect(scene.outbox.done == 1, "neither failed nor suppressed")
        }
    }

    @Test
    func `a mail is not sent twice because the database was away`() async throws {
        try await withDelivery { scene, delivery in
            scene.outbox.state.withLock { $0.recordingFails = 4 }
            scene.outbox.add((0..<20).map { .example(.signIn, number: $0) })
            delivery.wake()
            #expect(await scene.outbox.allDone())
            #expect(scene.server.messages.count == 20)
            #expect(scene.log.all.contains { if case .recordingFailed = $0 { true } else { false } })
        }
    }

    @Test
    func `the outbox has the last word about each mail`() async throws {
        try await withDelivery { scene, delivery in
            scene.outbox.state.withLock {
                $0.decisions = [
                    1: .moot, 2: .fail("too late"),
                    3: .send(.example(.emailInUse, values: [.device: "Chosen later"])),
                ]
            }
            scene.outbox.add([.example(.signIn), .example(.signIn), .example(.changeEmail)])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            #expect(scene.outbox.result(1) == .moot)
            #expect(scene.outbox.result(2) == .failed(reason: "too late"))
            let only = try #require(scene.server.messages.first)
            #expect(scene.server.messages.count == 1)
            #expect(ReceivedMail(only.raw)?.text.contains("Chosen later") == true)
        }
    }

    @Test
    func `a payload that makes no mail fails for good`() async throws {
        try await withDelivery { scene, delivery in
            scene.outbox.add([.example(.signIn, to: "not an address")])
            delivery.wake()
            #expect(await scene.outbox.allDone())
            #expect(scene.outbox.result(1) == .failed(reason: "the recipient's address is not valid"))
        }
    }

    @Test
    func `two deliveries share one outbox without sending anything twice`() async throws {
        try await withDelivery { scene, delivery in
            let other = try scene.delivery("w2", .hasty)
            let running = Task { await other.run() }
            scene.outbox.add((0..<200).map { .example(.signIn, number: $0) })
            delivery.wake()
            other.wake()
            #expect(await scene.outbox.allDone())
            other.stop()
            await running.value
            #expect(scene.server.messages.count == 200)
        }
    }

    @Test
    func `after the stop nothing is leased and every mail that went is recorded`() async throws {
        let server = try SMTPServer()
        try server.start()
        defer { server.stop() }
        server.faults = .slow(.milliseconds(50))
        let smtp = try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)")
        let scene = DeliveryScene(server: server, outbox: MemoryOutbox(), log: EventLog(), smtp: smtp)
        // So many that sending all of them takes 20 s.
        scene.outbox.add((0..<400).map { .example(.signIn, number: $0) })
        var settings = DeliverySettings.hasty
        // The e-mails that are being sent may take long on a slow machine.
        settings.stopPatience = 10_000
        let delivery = try scene.delivery("w1", settings)
        let running = Task { await delivery.run() }
        _ = try await server.waitForMessage()
        let start = ContinuousClock.now
        delivery.stop()
        await running.value
        #expect(ContinuousClock.now - start < .seconds(15))
        let sent = scene.outbox.state.withLock { $0.entries.values.count { $0.result == .sent } }
        #expect(sent == server.messages.count)
        #expect(sent >= 1 && sent < 400)
        #expect(scene.outbox.state.withLock { $0.entries.values.allSatisfy { $0.leasedTo == nil } })
    }

    @Test
    func `cancelling stops like stop`() async throws {
        let server = try SMTPServer()
        try server.start()
        defer { server.stop() }
        let smtp = try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)")
        let scene = DeliveryScene(server: server, outbox: MemoryOutbox(), log: EventLog(), smtp: smtp)
        let delivery = try scene.delivery("w1", .hasty)
        let running = Task { await delivery.run() }
        scene.outbox.add([.example(.signIn)])
        delivery.wake()
        _ = await scene.outbox.allDone()
        running.cancel()
        await running.value
        #expect(scene.outbox.result(1) == .sent)
    }
}
