import Foundation
import JSON
import SMTPHarness
import Testing

extension SlowFaultTests {
    @Suite("Merges with hooks and killed servers") struct HookFaultTests {
        /// What a client knows of a merge.
        struct Attempt: Sendable {
            let guest: Guest
            let ownerUID: String
            let ownerToken: String
            /// The status of the answer; `nil` if none arrived.
            var status: Int?
        }

        @Test func `a server killed in the middle of merges tells everyone who was asked one outcome, and only one`()
            async throws
        {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let receivers = try (0..<2).map { _ in try HookReceiver() }
            defer { for receiver in receivers { receiver.stop() } }
            for receiver in receivers { receiver.behave(.accept(within: 60), to: "merge.prepare") }
            let folder = try Folder()
            let settings = try Self.settings(receivers, folder)
            let attempts = Shared<[Attempt]>([])
            var server = try await TestedServer.start(in: folder, mail: mail, settings)
            for round in 0..<Depth.times(3, full: 50) {
                try await merge(server, letters, round, attempts)
                server = try await TestedServer.start(in: folder, mail: mail, settings)
            }
            try await check(attempts.value, receivers, server)
            #expect(try await server.stop() == 0)
            try checkIntegrity(folder)
        }

        /// Settings with two hooks, and a proxy in the environment that must not be used.
        private static func settings(_ receivers: [HookReceiver], _ folder: Folder) throws -> [String: String] {
            let hooks = receivers.enumerated().map { index, receiver in
                "{ name: 'hook\(index)', url: '\(receiver.url)', events: ['merge.prepare'] }"
            }
            try Data("{ hooks: [\(hooks.joined(separator: ", "))], hookRetry: { lease: '10s' } }".utf8)
                .write(to: URL(filePath: folder("latchkey.json5")))
            var settings = ["CONFIG": folder("latchkey.json5")]
            for index in receivers.indices {
                settings["HOOK_SECRETS_HOOK\(index)"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            }
            return settings
        }

        /// Merges guests into accounts until it kills the server, which has answered a merge by then.
        private func merge(
            _ server: TestedServer,
            _ letters: Letters,
            _ round: Int,
            _ attempts: Shared<[Attempt]>
        ) async throws {
            let known = attempts.value.count
            await withTaskGroup { group in
                for client in 0..<4 {
                    group.addTask { try? await work(server, letters, "merge-\(round)-\(client)@example.org", attempts) }
                }
                _ = try? await eventually(within: 60, "a merge") {
                    attempts.value.dropFirst(known).contains { $0.status == 200 } ? true : nil
                }
                try? await Task.sleep(for: .milliseconds(Int.random(in: 0...800)))
                server.program.signal(SIGKILL)
            }
            _ = try await server.program.end()
        }

        private func work(
            _ server: TestedServer,
            _ letters: Letters,
            _ email: String,
            _ attempts: Shared<[Attempt]>
        ) async throws {
            let caller = try server.caller()
            _ = try await caller.sendLink(to: email)
            let letter = try await letters.wait(for: email, whileRunning: server)
            let owner = try await caller.redeem(letter.code, email: email)
            while true {
                var attempt = Attempt(
                    guest: try await caller.signUp(),
                    ownerUID: owner["localId"] ?? "",
                    ownerToken: owner["idToken"] ?? ""
                )
                do {
                    let reply = try await caller.call(
                        "merge",
                        .init(strings: [("idToken", attempt.ownerToken), ("anonymousIdToken", attempt.guest.idToken)])
                    )
                    attempt.status = reply.status
                    let done = attempt
                    attempts.change { $0.append(done) }
                } catch {
                    let unknown = attempt
                    attempts.change { $0.append(unknown) }
                    throw error
                }
            }
        }

        private func check(_ attempts: [Attempt], _ receivers: [HookReceiver], _ server: TestedServer) async throws {
            let asked = Set(receivers.flatMap { $0.messages("merge.prepare") }.map { $0["mergeId"] })
            // Merges that a kill interrupted end with their leases, and so do messages that were being sent.
            _ = try await eventually(within: 90, "an outcome of each merge for everyone who was asked") {
                receivers.allSatisfy { receiver in
                    let told = Set(
                        (receiver.messages("merge.commit") + receiver.messages("merge.cancel")).map { $0["mergeId"] }
                    )
                    return asked.isSubset(of: told)
                } ? true : nil
            }
            var outcomes: [String: String] = [:]
            for receiver in receivers {
                let told = receiver.messages("merge.commit") + receiver.messages("merge.cancel")
                for (merge, messages) in Dictionary(grouping: told, by: { $0["mergeId"] }) {
                    #expect(Set(messages.map(\.event)).count == 1 && Set(messages.map(\.id)).count == 1)
                    let event = messages[0].event
                    #expect(
                        outcomes[messages[0]["anonymousUid"], default: event] == event,
                        "all hear the same of \(merge)"
                    )
                    outcomes[messages[0]["anonymousUid"]] = event
                }
            }
            let caller = try server.caller()
            for attempt in attempts {
                let outcome = outcomes[attempt.guest.uid]
                let guest = try await caller.lookup(attempt.guest.idToken)
                switch outcome {
                case "merge.commit": #expect(guest.code == "USER_NOT_FOUND")
                case "merge.cancel", nil: #expect(guest.status == 200, "nobody is lost without a merge")
                default: Issue.record("\(outcome ?? "")")
                }
                #expect(attempt.status == nil || (attempt.status == 200) == (outcome == "merge.commit"))
                guard guest.status == 200 else { continue }
                // An interrupted merge of which no receiver was asked suspends its guest until its lease ends.
                _ = try await eventually(within: 90, "the end of a suspension") {
                    let signedOut = try await caller.call(
                        "signOut",
                        .init(strings: [("refreshToken", attempt.guest.refreshToken)])
                    )
                    return signedOut.status == 200 ? true : nil
                }
            }
            let cut = outcomes.values.count { $0 == "merge.cancel" }
            print("kill -9: \(attempts.count) merges, \(outcomes.count - cut) committed, \(cut) cancelled")
            #expect(outcomes.count > cut)
        }
    }
}
