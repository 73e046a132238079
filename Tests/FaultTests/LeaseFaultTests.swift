import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Testing

extension SlowFaultTests {
    /// Uses the engine of the run, because two processes may share a file, too.
    @Suite("Work of a node that dies") struct LeaseFaultTests {
        /// Nodes on one database.
        struct Nodes {
            let folder: Folder
            let database: TestDatabase
            let settings: [String: String]

            init(_ settings: [String: String] = [:]) throws {
                folder = try Folder()
                database = try TestDatabase(in: folder.path)
                let common = ["DATABASE": database.url, "SECRET": "a-secret-of-the-tests-with-more-than-32-bytes"]
                self.settings = common.merging(settings) { $1 }
            }

            func start(mail: SMTPServer? = nil, _ more: [String: String] = [:]) async throws -> TestedServer {
                try await TestedServer.start(in: folder, mail: mail, settings.merging(more) { $1 })
            }

            /// Freezes a node, and starts another one.
            func start(mail: SMTPServer, whileFreezing node: TestedServer) async throws -> TestedServer {
                for _ in 0..<10 {
                    node.program.signal(SIGSTOP)
                    do { return try await start(mail: mail) } catch is Late {
                        // The frozen node was writing, so that SQLite's lock keeps others from starting.
                        node.program.signal(SIGCONT)
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                throw Late(what: "a start beside a frozen node")
            }
        }

        private static func seconds(since start: ContinuousClock.Instant) -> Double {
            ((ContinuousClock.now - start) / .milliseconds(100)).rounded() / 10
        }

        private func ask(_ server: TestedServer, _ count: Int) async throws -> [String] {
            let caller = try server.caller()
            let addresses = (0..<count).map { "lease-\($0)@example.org" }
            for address in addresses {
                let reply = try await caller.sendLink(to: address)
                guard reply.status == 200 else { throw Unexpected(reply) }
            }
            return addresses
        }

        @Test func `the mails of a node that is killed go out through another in seconds, each once`() async throws {
            try await Depth.sideBySide(3, full: 9) { try await mailsAfterKill() }
        }

        private func mailsAfterKill() async throws {
            let letters = Letters()
            let silent = try SMTPServer.started(into: letters, faults: .hanging(at: .messageEnd))
            defer { silent.stop() }
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let nodes = try Nodes(["MAIL_RETRY_LEASE": "6s"])
            let killed = try await nodes.start(mail: silent)
            // One e-mail for each worker: a node leases no more than it sends in half a second.
            let addresses = try await ask(killed, 4)
            _ = try await eventually(within: 30, "mails in its hands") {
                silent.statistics.connections >= 4 ? true : nil
            }
            let other = try await nodes.start(mail: mail)
            // Longer than the leases, which are renewed.
            try await Task.sleep(for: .seconds(8))
            #expect(addresses.allSatisfy { letters.to($0).isEmpty }, "the living one keeps its mails")
            let start = ContinuousClock.now
            try await killed.kill()
            try await letters.wait(for: addresses, within: 30)
            let time = Self.seconds(since: start)
            print("mails of a killed node: all sent \(time) s later")
            // Less than the lease of 15 s that a node has without the setting.
            #expect(time < 14)
            try await Task.sleep(for: .milliseconds(500))
            #expect(addresses.allSatisfy { letters.to($0).count == 1 })
            #expect(try await other.stop() == 0)
        }

        @Test func `a node that was frozen begins no mail that another took over`() async throws {
            let letters = Letters()
            let slow = try SMTPServer.started(into: letters, faults: .slow(.milliseconds(100)))
            defer { slow.stop() }
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let nodes = try Nodes(["MAIL_RETRY_LEASE": "3s", "MAIL_WORKERS": "1"])
            let frozen = try await nodes.start(mail: slow)
            let addresses = try await ask(frozen, 30)
            _ = try await letters.wait(for: addresses[0])
            let other = try await nodes.start(mail: mail, whileFreezing: frozen)
            let start = ContinuousClock.now
            try await letters.wait(for: addresses, within: 60)
            print("mails of a frozen node: all sent \(Self.seconds(since: start)) s later")
            frozen.program.signal(SIGCONT)
            try await Task.sleep(for: .seconds(4))
            // One e-mail was being sent, and the outcome of another may have been on its way to the database.
            let repeated = addresses.filter { letters.to($0).count > 1 }
            print("mails of a frozen node: \(repeated.count) of \(addresses.count) went twice")
            #expect(repeated.count <= 2)
            for address in addresses { #expect(Set(letters.to(address).map(\.messageID)).count == 1) }
            // The node continues to work.
            let reply = try await frozen.caller().sendLink(to: "again@example.org")
            #expect(reply.status == 200)
            _ = try await letters.wait(for: "again@example.org", within: 30)
            #expect(try await frozen.stop() == 0)
            #expect(try await other.stop() == 0)
        }

        /// Returns settings with one hook at a receiver.
        private func hook(_ receiver: HookReceiver, _ events: String, _ nodes: Nodes) throws -> [String: String] {
            try Data("{ hooks: [{ name: 'app', url: '\(receiver.url)', events: ['\(events)'] }] }".utf8)
                .write(to: URL(filePath: nodes.folder("latchkey.json5")))
            return [
                "CONFIG": nodes.folder("latchkey.json5"),
                "HOOK_SECRETS_APP": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            ]
        }

        @Test func `the messages to hooks of a node that is killed go out through another in seconds`() async throws {
            try await Depth.sideBySide(3, full: 9) { try await messagesAfterKill() }
        }

        private func messagesAfterKill() async throws {
            let receiver = try HookReceiver()
            defer { receiver.stop() }
            receiver.behave(.hang)
            let nodes = try Nodes(["HOOK_RETRY_LEASE": "6s"])
            let settings = try hook(receiver, "user.created", nodes)
            let killed = try await nodes.start(settings)
            let caller = try killed.caller()
            for _ in 0..<8 { _ = try await caller.signUp() }
            _ = try await eventually(within: 30, "a message in its hands") { receiver.messages.isEmpty ? nil : true }
            try await killed.kill()
            receiver.behave(.accept())
            let before = receiver.messages.count
            // Started only now, because it would otherwise lease the messages queued behind those being sent.
            let other = try await nodes.start(settings)
            let start = ContinuousClock.now
            _ = try await eventually(within: 40, "all of them") {
                let delivered = receiver.messages.dropFirst(before)
                return Set(delivered.map(\.id)).count == 8 ? true : nil
            }
            let time = Self.seconds(since: start)
            print("messages to a hook of a killed node: all delivered \(time) s later")
            // Less than the lease of 15 s that a node has without the setting.
            #expect(time < 14)
            try await Task.sleep(for: .milliseconds(500))
            #expect(receiver.messages.count == before + 8, "each is delivered once")
            #expect(try await other.stop() == 0)
        }

        @Test func `a guest whom a killed node held for a merge is given back by another in seconds`() async throws {
            try await Depth.sideBySide(3, full: 9) { try await guestAfterKill() }
        }

        private func guestAfterKill() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let receiver = try HookReceiver()
            defer { receiver.stop() }
            receiver.behave(.hang, to: "merge.prepare")
            let nodes = try Nodes()
            let settings = try hook(receiver, "merge.prepare", nodes)
            let killed = try await nodes.start(mail: mail, settings)
            let other = try await nodes.start(mail: mail, settings)
            let caller = try killed.caller()
            _ = try await caller.sendLink(to: "owner@example.org")
            let letter = try await letters.wait(for: "owner@example.org")
            let owner = try await caller.redeem(letter.code, email: "owner@example.org")
            let guest = try await caller.signUp()
            let merging = Task {
                _ = try? await killed.caller().call(
                    "merge",
                    .init(strings: [("idToken", owner["idToken"] ?? ""), ("anonymousIdToken", guest.idToken)])
                )
            }
            _ = try await eventually(within: 30, "the question") {
                receiver.messages("merge.prepare").isEmpty ? nil : true
            }
            try await killed.kill()
            await merging.value
            let held = try await other.caller().call("signOut", .init(strings: [("refreshToken", guest.refreshToken)]))
            #expect(held.code == "MERGE_IN_PROGRESS", "\(held.text)")
            let start = ContinuousClock.now
            // Four leases of 15 s.
            _ = try await eventually(within: 60, "the outcome") {
                receiver.messages("merge.cancel").isEmpty ? nil : true
            }
            let time = Self.seconds(since: start)
            print("a merge of a killed node: cancelled \(time) s later")
            #expect(receiver.messages("merge.cancel").first?["anonymousUid"] == guest.uid)
            let free = try await other.caller().call("signOut", .init(strings: [("refreshToken", guest.refreshToken)]))
            #expect(free.status == 200, "\(free.text)")
            #expect(try await other.stop() == 0)
        }

        @Test(.enabled(if: TestDatabase.Engine.current == .postgreSQL, "a file is never away"))
        func `an outage of the database that outlasts all leases sends no mail twice`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters, faults: .slow(.milliseconds(30)))
            defer { mail.stop() }
            let server = try PostgreSQLServer()
            defer { try? server.stop() }
            for (round, mode) in zip(1..., ["fast", "immediate"]) {
                let nodes = try Nodes(["DATABASE": try server.makeDatabase(), "MAIL_RETRY_LEASE": "15s"])
                var running: [TestedServer] = []
                for _ in 0..<3 { running.append(try await nodes.start(mail: mail)) }
                let asked = Shared<[String]>([])
                let asking = Task { [running] in
                    var number = 0
                    while !Task.isCancelled {
                        let address = "outage-\(round)-\(number)@example.org"
                        if let caller = try? running[number % 3].caller(),
                            try await caller.sendLink(to: address).status == 200
                        {
                            asked.change { $0.append(address) }
                        }
                        number += 1
                        try await Task.sleep(for: .milliseconds(15))
                    }
                }
                try await Task.sleep(for: .seconds(2))
                try server.stop(mode)
                try await Task.sleep(for: .seconds(18))
                try server.start()
                try await Task.sleep(for: .seconds(2))
                asking.cancel()
                _ = try? await asking.value
                let addresses = asked.value
                let start = ContinuousClock.now
                try await letters.wait(for: addresses, within: 90)
                print("an outage, \(mode): \(addresses.count) mails, all there \(Self.seconds(since: start)) s later")
                try await Task.sleep(for: .seconds(4))
                let repeated = addresses.filter { letters.to($0).count > 1 }
                #expect(repeated.isEmpty, "\(repeated.count) of \(addresses.count) went twice")
                for node in running { #expect(try await node.stop() == 0) }
            }
        }
    }
}
