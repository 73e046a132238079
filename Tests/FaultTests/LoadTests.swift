import Glibc
import Testing

extension FaultTests {
    @Suite("Many clients and a stop") struct LoadTests {
        @Test func `1500 idle and some slow connections do not disturb a working one`() async throws {
            raiseFileLimit()
            let folder = try Folder()
            let server = try await TestedServer.start(in: folder)
            // A server without other connections at the same time shows how fast the machine is.
            let calmFolder = try Folder()
            let calm = try await TestedServer.start(in: calmFolder)
            var idle: [Caller] = []
            for _ in 0..<1500 { idle.append(try server.caller()) }
            let slow = Task {
                let caller = try server.caller()
                for letter in "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le" {
                    try await caller.send(String(letter))
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await caller.send("ngth: 2\r\n\r\n{}")
                return try await caller.reply().status
            }
            // Idle clients can still be used. On a slow machine the measurement may outlast the 30 s that a new connection
            // has for its first request, so this comes before it.
            for caller in [idle.first, idle.last] { #expect(try await caller?.get("/healthz").status == 200) }
            let times = try await compare(calm, server)
            let calmP50 = times.0.percentile(50), crowdedP50 = times.1.percentile(50)
            print("signUp p50: \(calmP50) ms alone, \(crowdedP50) ms beside 1500 idle connections")
            #expect(crowdedP50 < 3 * calmP50 + 20)
            // Slow clients are not punished.
            #expect(try await slow.value == 200)
            // They do not delay the stop either, which otherwise takes the 10 s after which the server stops anyway.
            var start = ContinuousClock.now
            #expect(try await calm.stop() == 0)
            let alone = ContinuousClock.now - start
            start = .now
            #expect(try await server.stop() == 0)
            #expect(ContinuousClock.now - start < alone + .seconds(8))
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `a stop under load answers what was accepted, and leaves the port to the next`(signal: Int32) async throws
        {
            let folder = try Folder()
            var server = try await TestedServer.start(in: folder)
            let port = server.port
            for _ in 0..<Depth.times(3, full: 20) {
                let known = Shared<[Guest]>([])
                let unanswered = Shared<[String]>([])
                await withTaskGroup { [server] group in
                    for _ in 0..<8 {
                        group.addTask { await signUpUntilRefused(server, known, unanswered) }
                    }
                    _ = try? await eventually(within: 30, "sign-ups") { known.value.count > 10 ? true : nil }
                    try? await Task.sleep(for: .milliseconds(400))
                    server.program.signal(signal)
                }
                #expect(try await server.program.end() == 0)
                #expect(unanswered.value.isEmpty)
                server = try await TestedServer.start(in: folder, ["LISTEN": "127.0.0.1:\(port)"])
                let caller = try server.caller()
                #expect(known.value.count > 10)
                for guest in known.value {
                    #expect(try await caller.lookup(guest.idToken).uid == guest.uid)
                }
            }
            #expect(try await server.stop(signal) == 0)
            try checkIntegrity(folder)
        }

        /// Signs up over kept connections until the server refuses connections.
        private func signUpUntilRefused(
            _ server: TestedServer,
            _ known: Shared<[Guest]>,
            _ unanswered: Shared<[String]>
        ) async {
            while let caller = try? Caller(port: server.port, patience: 12) {
                var lastSent: ContinuousClock.Instant?
                var silence = Duration.zero
                do {
                    while true {
                        let now = ContinuousClock.now
                        silence = lastSent.map { now - $0 } ?? .zero
                        lastSent = now
                        let reply = try await caller.call("signUp")
                        guard reply.status == 200, let uid = reply["localId"], let token = reply["idToken"] else {
                            return unanswered.change { $0.append("status \(reply.status): \(reply.text)") }
                        }
                        known.change { $0.append(Guest(uid: uid, idToken: token, refreshToken: "")) }
                        if reply.header("connection")?.lowercased() == "close" { break }
                    }
                } catch let lost as Lost where !lost.isUnanswered || silence >= Self.silenceBeforeClosing {
                    // The connection was closed before the server received any of the request, or while this client was
                    // so late that the server took its connection for an idle one.
                    return
                } catch {
                    unanswered.change { $0.append("\(error), \(silence) after the request before") }
                }
            }
        }

        /// The silence after which a stopping server closes a kept connection (`Server.drain`), less the millisecond to
        /// which the server rounds.
        ///
        /// On a busy machine a client of this test may be that late.
        private static let silenceBeforeClosing = Duration.milliseconds(299)

        /// Signs up at two servers in turn.
        ///
        /// - Returns: the times of the answers of each server, in milliseconds.
        private func compare(_ first: TestedServer, _ second: TestedServer) async throws -> ([Double], [Double]) {
            let callers = (try first.caller(), try second.caller())
            var times: ([Double], [Double]) = ([], [])
            for _ in 0..<100 {
                let replies = (try await callers.0.call("signUp"), try await callers.1.call("signUp"))
                #expect(replies.0.status == 200 && replies.1.status == 200)
                times.0.append(replies.0.milliseconds)
                times.1.append(replies.1.milliseconds)
            }
            return times
        }

        private func raiseFileLimit() {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 4096))
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }
}
