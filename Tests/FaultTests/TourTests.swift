import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Testing

extension SlowFaultTests {
    @Suite("Command line against a real server") struct TourTests {
        let folder: Folder
        var session: String { folder("state/session.json") }

        init() throws {
            folder = try Folder()
        }

        @Test func `a guest becomes the owner of an address, and leaves`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let server = try await TestedServer.start(in: folder, mail: mail)
            let guest = try await json(server, ["guest"])
            let uid = try #require(guest["uid"]?.string)
            #expect(guest["anonymous"] == true)
            #expect(try await json(server, ["whoami"])["uid"]?.string == uid)
            let attributes = try FileManager.default.attributesOfItem(atPath: session)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            let sent = try await json(server, ["send", "you@example.org"])
            #expect(sent["confirmation"]?.string?.count == 3)
            let letter = try await letters.wait(for: "you@example.org")
            let link = "\(server.url)/auth/action?mode=signIn&oobCode=\(letter.code)&apiKey=latchkey"
            let redeemed = try await json(server, ["redeem", link])
            #expect(redeemed["uid"]?.string == uid)
            #expect(redeemed["linked"] == true)
            let owner = try await json(server, ["whoami"])
            #expect(owner["uid"]?.string == uid && owner["email"]?.string == "you@example.org")

            let again = try await latchkey(server, ["redeem", link, "--email", "you@example.org", "--json"])
            #expect(again.status == 1)
            #expect(again.errors.contains("INVALID_OOB_CODE"))
            #expect(try await latchkey(server, ["sign-out"]).status == 0)
            let nobody = try await latchkey(server, ["whoami"])
            #expect(nobody.status == 1 && nobody.errors.contains("You are not signed in"))
            try await server.stop()
            let unreachable = try await latchkey(server, ["guest"])
            #expect(unreachable.status == 3)
        }

        @Test func `the eight digits of a mail sign in as well`() async throws {
            let server = try await TestedServer.start(in: folder)
            _ = try await json(server, ["guest"])
            _ = try await json(server, ["send", "digits@example.org"])
            let caller = try server.caller()
            let text = try await eventually(within: 20, "the mail in the mailbox") {
                try await caller.get("/mailbox/messages").json?["messages"]?.array?.first?["text"]?.string
            }
            let digits = try #require(
                text.split(whereSeparator: \.isNewline)
                    .first { $0.count == 9 && $0.filter(\.isNumber).count == 8 }.map { String($0) }
            )
            let wrong = digits == "1111 1111" ? "2222 2222" : "1111 1111"
            let refused = try await latchkey(server, ["redeem", wrong])
            #expect(refused.status == 1 && refused.errors.contains("Wrong code"))
            let redeemed = try await json(server, ["redeem"] + digits.split(separator: " ").map { String($0) })
            #expect(redeemed["email"]?.string == "digits@example.org" && redeemed["linked"] == true)
            try await server.stop()
        }

        @Test func `waiting ends when the link is approved on its page`() async throws {
            let letters = Letters()
            let mail = try SMTPServer.started(into: letters)
            defer { mail.stop() }
            let server = try await TestedServer.start(in: folder, mail: mail)
            let uid = try #require(try await json(server, ["guest"])["uid"]?.string)
            let waiting = try Program(
                ["send", "wait@example.org", "--wait", "--json", "--timeout", "30"],
                environment: environment(server),
                in: folder
            )
            let first = try await eventually(within: 20, "the digits") { waiting.output.first }
            let digits = try #require(try JSONValue.parse(Array(first.utf8))["confirmation"]?.string)
            let letter = try await letters.wait(for: "wait@example.org")
            let caller = try server.caller()
            // Until the holder has asked for the outcome, the page shows the code instead of the form.
            let path = "/auth/action?mode=signIn&oobCode=\(letter.code)&apiKey=latchkey&lang=en"
            _ = try await eventually(within: 20, "the form") {
                try await caller.get(path).text.contains(#"name="confirmation""#) ? () : nil
            }
            let page = try await caller.get(path)
            #expect(page.status == 200 && !page.text.contains(">\(digits)<"))
            let approved = try await caller.post(
                "/auth/action",
                form: "oobCode=\(letter.code)&lang=en&action=approve&confirmation=\(digits)"
            )
            #expect(approved.status == 200 && approved.text.contains("Sign-in approved"))
            #expect(try await waiting.end() == 0)
            let last = try await eventually(within: 2, "the result") {
                waiting.output.count > 1 ? waiting.output.last : nil
            }
            let result = try JSONValue.parse(Array(last.utf8))
            #expect(result["uid"]?.string == uid && result["email"]?.string == "wait@example.org")
            #expect(result["linked"] == true)
            #expect(try await json(server, ["whoami"])["email"]?.string == "wait@example.org")
            try await server.stop()
        }

        /// Runs the blocks of docs/tour.md in one shell, as a reader pastes them.
        @Test(.enabled(if: TestDatabase.isFile, "its lines use sqlite3"))
        func `the tour in the documentation does what it says`() async throws {
            let server = try await TestedServer.start(in: folder, ["DATABASE": "sqlite:latchkey-data/latchkey.db"])
            let script = try Self.tour().replacing("http://127.0.0.1:9099", with: server.url)
                .replacing(".build/release/latchkey", with: Program.path)
                // Other tests run in parallel, so the mail may take longer than a second.
                .replacing("sleep 1", with: "sleep 3; arrived")
            // Waits until the mailbox has more e-mails than at the last call.
            let arrived = """
                arrived() {
                    for _ in $(seq 300); do
                        arrivals=$(curl -s \(server.url)/mailbox/messages | jq '.messages | length')
                        [ "$arrivals" -gt "$(cat arrivals 2>/dev/null || echo 0)" ] && break
                        sleep 0.2
                    done
                    echo "$arrivals" >arrivals
                }

                """
            try ("shopt -s expand_aliases\n" + arrived + script).write(
                toFile: folder("tour.sh"),
                atomically: true,
                encoding: .utf8
            )
            let variables = environment(server).merging(["HOME": folder.path]) { $1 }
            let tour = try Program(command: ["bash", "-e", folder("tour.sh")], environment: variables, in: folder)
            #expect(try await tour.end(within: 300) == 0, "\(tour.errors)")
            let lines = try await eventually(within: 2, "the last line") {
                tour.output.last?.hasPrefix("}") == true ? tour.output : nil
            }

            // The UID is the same before and after linking, and on all devices in the end.
            let uids = lines.filter { $0.hasPrefix("  uid ") }.compactMap { $0.split(separator: " ").last }
            #expect(uids.count == 6 && Set(uids).count == 2, "\(uids)")
            #expect(lines.contains(#"  "number": 17"#), "the second device sees 17")
            #expect(lines.contains(#"favourites/number  {"number":42}"#), "the first device hears of 42")
            let report = lines.drop { !$0.hasPrefix("Moved from the guest") }
            #expect(report.contains("  documents  1 (notes 1)"))
            #expect(report.contains("  conflict   favourites/number: the account's document stays"))
            #expect(report.contains("  table      todos 1"))
            #expect(lines.contains("Water the plants|\(try #require(uids.first))"), "the row belongs to the account")
            try await server.stop()
        }

        @Test func `the tour of the README is the beginning of the long one`() throws {
            let short = try Self.commands(
                Self.lines("README.md").drop { $0 != "## A first tour" }.dropFirst().prefix { !$0.hasPrefix("## ") }
            )
            #expect(short.hasSuffix("latchkey whoami"))
            #expect(try Self.tour().hasPrefix(short + "\n"))
        }

        /// The commands of docs/tour.md.
        private static func tour() throws -> String {
            try commands(lines("docs/tour.md")[...])
        }

        private static func lines(_ path: String) throws -> [Substring] {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(path)")
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.split(separator: "\n", omittingEmptySubsequences: false)
        }

        /// Returns the indented lines, without their indentation.
        private static func commands(_ lines: ArraySlice<Substring>) -> String {
            lines.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }.joined(separator: "\n")
        }

        @Test(arguments: [["gest"], ["send"], ["redeem", "123456", "--sign-in"], ["serve", "--nonsense"]])
        func `wrong usage ends with status 2`(words: [String]) async throws {
            let result = try await Program.run(words, environment: ["LATCHKEY_SESSION": session], in: folder)
            #expect(result.status == 2)
            #expect(result.output.isEmpty && !result.errors.isEmpty)
        }

        @Test func `operators get JSON, and an unknown user is refused`() async throws {
            let server = try await TestedServer.start(in: folder)
            let guest = try await server.caller().signUp()
            let environment = TestedServer.environment(folder)
            let shown = try await Program.run(
                ["users", "show", guest.uid, "--json"],
                environment: environment,
                in: folder
            )
            #expect(try JSONValue.parse(Array(shown.output.utf8))["isAnonymous"] == true)
            let unknown = try await Program.run(["users", "show", "nobody"], environment: environment, in: folder)
            #expect(unknown.status == 1)
            let disabled = try await Program.run(["users", "disable", guest.uid], environment: environment, in: folder)
            #expect(disabled.status == 0)
            #expect(try await server.caller().lookup(guest.idToken).code == "USER_DISABLED")
            try await server.stop()
        }

        private func environment(_ server: TestedServer) -> [String: String] {
            ["LATCHKEY_URL": server.url, "LATCHKEY_SESSION": session]
        }

        private func latchkey(
            _ server: TestedServer,
            _ words: [String]
        ) async throws -> (status: Int32, output: String, errors: String) {
            try await Program.run(words, environment: environment(server), in: folder)
        }

        private func json(_ server: TestedServer, _ words: [String]) async throws -> JSONValue {
            let result = try await latchkey(server, words + ["--json"])
            #expect(result.status == 0, "\(words): \(result.errors)")
            return try JSONValue.parse(Array(result.output.utf8))
        }
    }
}
