import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Testing

extension SlowFaultTests {
    /// Nodes whose clocks are a minute ahead and a minute behind (`Tests/Clocks`); the monotonic clock is not changed.
    @Suite("Wrong clocks", .enabled(if: TestDatabase.isEnginesTurn)) struct ClockTests {
        private static let ahead = [0, 60, -60]
        private static let linkLife = 15

        private static func cluster(mailFaults: FaultPlan = .none) async throws -> Cluster {
            let folder = try Folder()
            let library = try await wrongClock(in: folder)
            let cluster = try await Cluster.started(nodes: ahead.count, mailFaults: mailFaults) { node, _ in
                [
                    "LD_PRELOAD": library, "CLOCK_AHEAD": "\(ahead[node])",
                    "LATCHKEY_LIFE_SIGN_IN_LINK": "\(linkLife)s",
                    // Far less than the clocks differ by, and long enough to be renewed in time on a slow machine.
                    "LATCHKEY_MAIL_RETRY_LEASE": "15s",
                ]
            }
            // Without this check the test would prove nothing.
            let dates = try await cluster.everywhere { _, caller in
                try await date(caller.get("/healthz").header("date") ?? "")
            }
            #expect(abs(dates[1] - dates[0] - 60) < 15 && abs(dates[0] - dates[2] - 60) < 15, "\(dates)")
            return cluster
        }

        /// Builds the library that makes a process see another time of day.
        private static func wrongClock(in folder: Folder) async throws -> String {
            let source = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Clocks/ahead.c").standardizedFileURL.path
            let library = folder("ahead.so")
            let built = try Program(
                command: ["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, source],
                environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
                in: folder
            )
            guard try await built.end() == 0 else { throw Late(what: built.errors.joined(separator: "\n")) }
            return library
        }

        private static func date(_ text: String) throws -> Double {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
            guard let date = format.date(from: text) else { throw Late(what: "a date in \(text)") }
            return date.timeIntervalSince1970
        }

        @Test func `a link lives as long on each node, whichever it was asked from`() async throws {
            let cluster = try await Self.cluster()
            for asked in 0..<cluster.count {
                for redeemed in 0..<cluster.count {
                    let email = "link-\(asked)-\(redeemed)@example.org"
                    _ = try await cluster.caller(asked).sendLink(to: email)
                    let code = try await cluster.letters.wait(for: email).code
                    let reply = try await cluster.caller(redeemed).redeem(code, email: email)
                    #expect(reply.status == 200, "\(asked), \(redeemed): \(reply.text)")
                }
            }
            var codes: [String] = []
            for asked in 0..<cluster.count {
                let email = "old-\(asked)@example.org"
                _ = try await cluster.caller(asked).sendLink(to: email)
                codes.append(try await cluster.letters.wait(for: email).code)
            }
            try await Task.sleep(for: .seconds(Self.linkLife + 1))
            for (asked, code) in codes.enumerated() {
                for node in 0..<cluster.count {
                    let reply = try await cluster.caller(node).redeem(code, email: "old-\(asked)@example.org")
                    #expect(reply.code == "EXPIRED_OOB_CODE", "\(asked), \(node): \(reply.text)")
                }
            }
            try await cluster.check()
        }

        @Test func `tokens are valid on every node at once, and no longer than until their exp`() async throws {
            let cluster = try await Self.cluster()
            func databaseTime() throws -> Int64 {
                let rows = try cluster.rows("SELECT floor(extract(epoch FROM now()))::bigint")
                return try #require(rows.first.flatMap { Int64($0) })
            }
            for node in 0..<cluster.count {
                let before = try databaseTime()
                let guest = try await cluster.caller(node).signUp()
                let after = try databaseTime()
                let claims = try #require(self.claims(of: guest.idToken))
                let issued = try #require(claims["iat"]?.int64), expires = try #require(claims["exp"]?.int64)
                #expect(issued >= before - 3 && issued <= after + 3 && expires == issued + 3600, "node \(node)")
                let found = try await cluster.everywhere { _, caller in try await caller.lookup(guest.idToken) }
                for reply in found { #expect(reply.uid == guest.uid, "\(reply.text)") }
            }
        }

        @Test func `a refresh token that was just replaced is still taken by any node`() async throws {
            let cluster = try await Self.cluster()
            for first in 0..<cluster.count {
                let guest = try await cluster.caller(first).signUp()
                let second = (first + 1) % cluster.count, third = (first + 2) % cluster.count
                let one = try await cluster.caller(first).refresh(guest.refreshToken)
                let two = try await cluster.caller(second).refresh(one["refresh_token"] ?? "")
                // A second process of the device still has the first token, which is valid for a minute after it was
                // replaced.
                let again = try await cluster.caller(third).refresh(guest.refreshToken)
                #expect(again.status == 200 && again["refresh_token"] == one["refresh_token"], "\(again.text)")
                let last = try await cluster.caller(first).refresh(two["refresh_token"] ?? "")
                #expect(last.status == 200 && last["user_id"] == guest.uid, "\(last.text)")
            }
        }

        @Test func `a revocation on one node ends earlier sessions on all nodes, and no later session`() async throws {
            let cluster = try await Self.cluster()
            for revoking in 0..<cluster.count {
                let email = "revoked-\(revoking)@example.org"
                for signingIn in 0..<cluster.count {
                    let before = try await signIn(email, on: signingIn, of: cluster)
                    let revoked = try await cluster.caller(revoking).call(
                        "update",
                        .init(strings: [("idToken", before.idToken), ("validSince", "0")])
                    )
                    #expect(revoked.status == 200, "\(revoked.text)")
                    let after = try await signIn(email, on: signingIn, of: cluster)
                    for node in 0..<cluster.count {
                        let caller = try cluster.caller(node)
                        #expect(try await caller.lookup(before.idToken).code == "TOKEN_EXPIRED")
                        #expect(try await caller.refresh(before.refreshToken).status == 400)
                        #expect(try await caller.lookup(after.idToken).uid == after.uid)
                    }
                    _ = try await cluster.caller(revoking).call(
                        "signOut",
                        .init(strings: [("refreshToken", after.refreshToken)])
                    )
                    for node in 0..<cluster.count {
                        #expect(try await cluster.caller(node).lookup(after.idToken).code == "TOKEN_EXPIRED")
                    }
                }
            }
        }

        @Test func `mails go out once, though leases would be over by the clock of one node`() async throws {
            // Slow, so that other nodes look for e-mails while a worker owns them.
            var faults = FaultPlan.none
            faults.replyDelay = .milliseconds(900)
            let cluster = try await Self.cluster(mailFaults: faults)
            let addresses = (0..<9).map { "once-\($0)@example.org" }
            for (number, address) in addresses.enumerated() {
                let reply = try await cluster.caller(number % cluster.count).sendLink(to: address)
                #expect(reply.status == 200)
            }
            try await cluster.letters.wait(for: addresses, within: 60)
            try await Task.sleep(for: .seconds(5))
            for address in addresses { #expect(cluster.letters.to(address).count == 1) }
        }

        private func signIn(_ email: String, on node: Int, of cluster: Cluster) async throws -> Guest {
            let known = Set(cluster.letters.to(email).map(\.code))
            _ = try await cluster.caller(node).sendLink(to: email)
            let code = try await cluster.letters.wait(for: email, beside: known).code
            let reply = try await cluster.caller(node).redeem(code, email: email)
            guard let uid = reply["localId"], let idToken = reply["idToken"], let refreshToken = reply["refreshToken"]
            else { throw Unexpected(reply) }
            return Guest(uid: uid, idToken: idToken, refreshToken: refreshToken)
        }

        private func claims(of idToken: String) -> JSONValue? {
            let parts = idToken.split(separator: ".")
            guard parts.count == 3 else { return nil }
            var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            return Data(base64Encoded: text).flatMap { try? JSONValue.parse(Array($0)) }
        }
    }
}

extension Caller {
    func refresh(_ token: String) async throws -> Reply {
        try await post("/v1/token?key=k", form: "grant_type=refresh_token&refresh_token=\(token)")
    }
}
