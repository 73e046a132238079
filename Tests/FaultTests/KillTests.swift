import Foundation
import SMTPHarness
import Testing

extension FaultTests {
    @Suite("Killed servers") struct KillTests {
        /// What clients know when the server dies.
        struct Knowledge: Sendable {
            /// Guests whose sign-up was acknowledged.
            var guests: [Guest] = []
            /// Links that were acknowledged as sent, by address.
            var asked: [String: Guest] = [:]
            var redeemed: [Redemption] = []
            /// Redemptions whose answer never arrived.
            var uncertain: [Redemption] = []
        }

        struct Redemption: Sendable {
            let email: String
            let code: String
            let guest: Guest
            /// The token in the answer, if there was one.
            var idToken: String?
        }

        @Test func `a server killed while it starts for the first time starts the next time`() async throws {
            for _ in 0..<Depth.times(8, full: 40) {
                let folder = try Folder()
                let killed = try Program(["serve"], environment: TestedServer.environment(folder), in: folder)
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...80)))
                killed.signal(SIGKILL)
                _ = try await killed.end()
                let server = try await TestedServer.start(in: folder)
                #expect(try await server.caller().signUp().uid.count == 28)
                try await server.stop()
                try checkIntegrity(folder)
            }
        }

        @Test func `a server killed under load has kept all that it acknowledged`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let folder = try Folder()
            // Short, so that e-mails that a dead server was sending do not wait for minutes.
            let settings = ["MAIL_RETRY_LEASE": "4s"]
            var server = try await TestedServer.start(in: folder, mail: mail, settings)
            var counts = (guests: 0, redeemed: 0, uncertain: 0, waiting: 0)
            for round in 0..<Depth.times(3, full: 20) {
                let knowledge = try await load(server, letters, round: round)
                server = try await TestedServer.start(in: folder, mail: mail, settings)
                counts.guests += knowledge.guests.count
                counts.redeemed += knowledge.redeemed.count
                counts.uncertain += knowledge.uncertain.count
                counts.waiting += try await check(knowledge, server, letters)
            }
            #expect(counts.guests > 0 && counts.redeemed > 0)
            print(
                "kill -9: \(counts.guests) sign-ups and \(counts.redeemed) redemptions acknowledged, \(counts.uncertain)"
                    + " redemptions cut off, \(counts.waiting) mails on their way"
            )
            #expect(try await server.stop() == 0)
            try checkIntegrity(folder)
        }

        @Test func `a server killed a thousand times has kept all that it acknowledged`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let folder = try Folder()
            // Links outlive the run, which takes half an hour at full depth.
            let settings = ["MAIL_RETRY_LEASE": "4s", "LIFE_SIGN_IN_LINK": "3h"]
            var server = try await TestedServer.start(in: folder, mail: mail, settings)
            var known = Knowledge()
            var uncertain = 0
            for round in 0..<Depth.times(8, full: 1000) {
                let news = try await load(
                    server,
                    letters,
                    round: round,
                    for: 100...300,
                    asking: false,
                    isRedemptionAwaited: round == 0
                )
                server = try await TestedServer.start(in: folder, mail: mail, settings)
                known.guests += news.guests
                // A redemption can only be repeated for some minutes, so those without an answer are repeated at once.
                known.redeemed += news.redeemed + (try await repeated(news.uncertain, server))
                uncertain += news.uncertain.count
                known.asked.merge(news.asked) { _, new in new }
            }
            #expect(!known.guests.isEmpty && !known.redeemed.isEmpty)
            let waiting = try await check(known, server, letters)
            print(
                "kill -9 again and again: \(known.guests.count) sign-ups and \(known.redeemed.count) redemptions"
                    + " acknowledged, \(uncertain) of them when repeated, \(waiting) mails on their way"
            )
            #expect(try await server.stop() == 0)
            try checkIntegrity(folder)
        }

        /// Runs several clients until it kills the server, and returns what they know then.
        ///
        /// - Parameters:
        ///   - duration: the range of milliseconds after which the server is killed.
        ///   - asking: whether one client also asks for links that are not opened before the kill.
        ///   - isRedemptionAwaited: whether that time only begins once a redemption was acknowledged. A busy machine may
        ///     need long for the first one.
        private func load(
            _ server: TestedServer,
            _ letters: Letters,
            round: Int,
            for duration: ClosedRange<Int> = 500...1200,
            asking: Bool = true,
            isRedemptionAwaited: Bool = true
        ) async throws -> Knowledge {
            let knowledge = Shared(Knowledge())
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { try? await signUp(server, knowledge) } }
                for client in 0..<4 {
                    group.addTask { try? await askAndRedeem(server, letters, "\(round)-\(client)", knowledge) }
                }
                if asking { group.addTask { try? await ask(server, "\(round)", knowledge) } }
                if isRedemptionAwaited {
                    _ = try? await eventually(within: 30, "a redemption") {
                        knowledge.value.redeemed.isEmpty ? nil : true
                    }
                }
                try? await Task.sleep(for: .milliseconds(Int.random(in: duration)))
                server.program.signal(SIGKILL)
            }
            _ = try await server.program.end()
            return knowledge.value
        }

        private func signUp(_ server: TestedServer, _ knowledge: Shared<Knowledge>) async throws {
            let caller = try server.caller()
            while true {
                let guest = try await caller.signUp()
                knowledge.change { $0.guests.append(guest) }
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        private func ask(_ server: TestedServer, _ name: String, _ knowledge: Shared<Knowledge>) async throws {
            let caller = try server.caller()
            let guest = try await caller.signUp()
            for number in 0... {
                let email = "ask-\(name)-\(number)@example.org"
                let asked = try await caller.sendLink(to: email)
                guard asked.status == 200 else { throw Unexpected(asked) }
                knowledge.change { $0.asked[email] = guest }
                try await Task.sleep(for: .milliseconds(4))
            }
        }

        private func askAndRedeem(
            _ server: TestedServer,
            _ letters: Letters,
            _ name: String,
            _ knowledge: Shared<Knowledge>
        ) async throws {
            let caller = try server.caller()
            for number in 0... {
                let email = "kill-\(name)-\(number)@example.org"
                let guest = try await caller.signUp()
                let asked = try await caller.sendLink(to: email, for: guest)
                guard asked.status == 200 else { throw Unexpected(asked) }
                knowledge.change { $0.asked[email] = guest }
                let letter = try await letters.wait(for: email, whileRunning: server)
                var redemption = Redemption(email: email, code: letter.code, guest: guest)
                do {
                    let reply = try await caller.redeem(letter.code, email: email, for: guest)
                    guard reply.status == 200 else { throw Unexpected(reply) }
                    redemption.idToken = reply["idToken"]
                    let done = redemption
                    knowledge.change { $0.redeemed.append(done) }
                } catch let lost as Lost {
                    let unknown = redemption
                    if lost.isUnanswered { knowledge.change { $0.uncertain.append(unknown) } }
                    throw lost
                }
            }
        }

        /// Repeats redemptions whose answer never arrived: whether or not they were done, the same session gets its
        /// answer.
        private func repeated(_ uncertain: [Redemption], _ server: TestedServer) async throws -> [Redemption] {
            let caller = try server.caller()
            var redeemed: [Redemption] = []
            for var redemption in uncertain {
                let reply = try await caller.redeem(redemption.code, email: redemption.email, for: redemption.guest)
                #expect(reply.status == 200 && reply["localId"] == redemption.guest.uid)
                redemption.idToken = reply["idToken"]
                redeemed.append(redemption)
            }
            return redeemed
        }

        /// - Returns: the number of e-mails that only arrived after the restart.
        private func check(_ knowledge: Knowledge, _ server: TestedServer, _ letters: Letters) async throws -> Int {
            let caller = try server.caller()
            for guest in knowledge.guests {
                let reply = try await caller.lookup(guest.idToken)
                #expect(reply.status == 200 && reply.uid == guest.uid, "an acknowledged guest is gone")
            }
            for redemption in knowledge.redeemed + (try await repeated(knowledge.uncertain, server)) {
                let user = try await caller.lookup(redemption.idToken ?? "")
                #expect(user.uid == redemption.guest.uid && user.email == redemption.email)
                let again = try await caller.redeem(redemption.code, email: redemption.email)
                #expect(again.status == 400 && again.code == "INVALID_OOB_CODE")
            }
            let tried = Set((knowledge.redeemed + knowledge.uncertain).map(\.email))
            let waiting = knowledge.asked.filter { !tried.contains($0.key) }
            let early = waiting.count { !letters.to($0.key).isEmpty }
            for (email, guest) in waiting {
                let letter = try await letters.wait(for: email, within: 30)
                let isOwn = email.hasPrefix("kill-")
                let reply = try await caller.redeem(letter.code, email: email, for: isOwn ? guest : nil)
                #expect(reply.status == 200 && (!isOwn || reply["localId"] == guest.uid))
                let again = try await caller.redeem(letter.code, email: email)
                #expect(again.code == "INVALID_OOB_CODE")
            }
            for email in knowledge.asked.keys {
                // An e-mail whose outcome was lost with the server may arrive twice, but as the same e-mail.
                #expect(Set(letters.to(email).map(\.messageID)).count == 1)
            }
            return waiting.count - early
        }
    }
}
