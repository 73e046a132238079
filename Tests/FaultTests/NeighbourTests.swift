import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Testing

extension SlowFaultTests {
    @Suite("Several processes on one database") struct NeighbourTests {
        @Test func `two servers and an operator work side by side`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let folder = try Folder()
            let servers = [
                try await TestedServer.start(in: folder, mail: mail),
                try await TestedServer.start(in: folder, mail: mail),
            ]
            let early = try await servers[0].caller().signUp()
            let environment = TestedServer.environment(folder, mail: mail)
            let known = try await withThrowingTaskGroup(of: [Guest].self) { group in
                for number in 0..<6 {
                    group.addTask {
                        // Half of the clients ask one server and redeem at the other.
                        let first = try servers[number % 2].caller()
                        let second = try servers[(number / 2) % 2].caller()
                        var guests: [Guest] = []
                        for round in 0..<20 {
                            let email = "neighbour-\(number)-\(round)@example.org"
                            let guest = try await first.signUp()
                            guests.append(guest)
                            guard round % 4 == 0 else { continue }
                            let asked = try await first.sendLink(to: email, for: guest)
                            #expect(asked.status == 200)
                            let letter = try await letters.wait(for: email)
                            let reply = try await second.redeem(letter.code, email: email, for: guest)
                            #expect(reply.status == 200 && reply["localId"] == guest.uid)
                            let again = try await first.redeem(letter.code, email: email)
                            #expect(again.code == "INVALID_OOB_CODE")
                            guests.removeLast()
                        }
                        return guests
                    }
                }
                group.addTask {
                    let backup = TestDatabase.isFile ? [["backup", folder("copy.db")]] : []
                    for words in [
                        ["users", "list"], ["outbox", "list"], ["keys", "list"], ["users", "show", early.uid],
                    ] + backup {
                        let result = try await Program.run(words + ["--json"], environment: environment, in: folder)
                        #expect(result.status == 0, "\(words): \(result.errors)")
                        #expect(JSONSerialization.isValid(result.output))
                    }
                    return [early]
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let callers = try servers.map { try $0.caller() }
            for (number, guest) in known.enumerated() {
                #expect(try await callers[number % 2].lookup(guest.idToken).uid == guest.uid)
            }
            for server in servers { #expect(try await server.stop() == 0) }
            for server in servers { #expect(!server.program.errors.joined().contains("request.failed")) }
            try checkIntegrity(folder)
            guard TestDatabase.isFile else { return }
            try checkIntegrity(file: folder("copy.db"))
            // The copy is a complete database, in the state of when it was made.
            let secret = folder("latchkey.db.secret")
            let copy = try await TestedServer.start(
                in: folder,
                mail: mail,
                ["DATABASE": "sqlite:\(folder("copy.db"))", "SECRET_FILE": secret]
            )
            #expect(try await copy.caller().lookup(early.idToken).uid == early.uid)
            try await copy.stop()
        }

        @Test func `servers that make a new database at the same moment agree on it`() async throws {
            for _ in 0..<Depth.times(3, full: 20) {
                let folder = try Folder()
                let servers = try await withThrowingTaskGroup(of: TestedServer.self) { group in
                    for _ in 0..<3 { group.addTask { try await TestedServer.start(in: folder) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let guest = try await servers[0].caller().signUp()
                for server in servers {
                    #expect(try await server.caller().lookup(guest.idToken).uid == guest.uid)
                    #expect(try await keyIDs(try server.caller()).count == 1)
                }
                for server in servers { #expect(try await server.stop() == 0) }
            }
        }

        @Test func `servers publish a rotated key within seconds, and go on signing with the old one`() async throws {
            let folder = try Folder()
            let server = try await TestedServer.start(in: folder)
            let caller = try server.caller()
            let before = try await keyIDs(caller)
            #expect(before.count == 1)
            let rotation = try await Program.run(
                ["keys", "rotate", "--json"],
                environment: TestedServer.environment(folder),
                in: folder
            )
            #expect(rotation.status == 0)
            let after = try await eventually(within: 30, "the new key") {
                let keys = try await keyIDs(caller)
                return keys.count == 2 ? keys : nil
            }
            #expect(Set(after).isSuperset(of: before))
            let guest = try await caller.signUp()
            #expect(try await caller.lookup(guest.idToken).uid == guest.uid)
            let header = guest.idToken.split(separator: ".").first.map { String($0) } ?? ""
            let padded = header + String(repeating: "=", count: (4 - header.count % 4) % 4)
            let json = Data(base64Encoded: padded).map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(json.contains(before[0]))
            try await server.stop()
        }

        private func keyIDs(_ caller: Caller) async throws -> [String] {
            let reply = try await caller.get("/.well-known/jwks.json")
            return reply.json?["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        }
    }
}

extension JSONSerialization {
    static func isValid(_ text: String) -> Bool {
        (try? jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
    }
}
