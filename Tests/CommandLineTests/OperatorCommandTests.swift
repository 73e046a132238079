import Foundation
import JSON
import PostgreSQLHarness
import Testing

@testable import latchkey

/// The operator's commands, in a separate process.
@Suite("Operating from the command line", .timeLimit(.minutes(3))) struct OperatorCommandTests {
    let folder = NSTemporaryDirectory() + "latchkey-operator-command-" + UUID().uuidString
    private var database: String { "sqlite:\(folder)/latchkey.db" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    /// Runs a command in the test's folder, whose configuration names the database.
    private func latchkey(
        _ words: [String],
        _ more: [String: String] = [:],
        in place: String? = nil
    ) async throws -> ProgramResult {
        let own = ["LATCHKEY_SECRET": DatabaseCommandTests.secret, "LATCHKEY_DATABASE": database]
        return try await runProgram(words, input: "", environment: own.merging(more) { $1 }, in: place)
    }

    /// Imports a permanent user and a guest.
    private func importUsers() async throws {
        let users = folder + "/users.json"
        try Data(#"{"users":[{"localId":"u1","email":"a@b.c"},{"localId":"u2"}]}"#.utf8).write(to: URL(filePath: users))
        let done = try await latchkey(["import", "firebase", users])
        #expect(done.status == 0, "\(done.error)")
    }

    @Test func `check-config in JSON lists each problem with file, line, key and reason`() async throws {
        defer { cleanUp() }
        let file = folder + "/latchkey.json5"
        try "{\n  threads: 0,\n  limts: { mails: 1 },\n}".write(toFile: file, atomically: true, encoding: .utf8)
        let checked = try await latchkey(["check-config", "--config", file, "--json"], ["LATCHKEY_LISTENERS": "x"])
        #expect(checked.status == 2)
        let problems = try JSONValue.parse(checked.error)["error"]?["problems"]?.array ?? []
        #expect(problems.count == 3)
        let threads = problems.first { $0["key"] == "threads" }
        #expect(threads?["file"]?.string == file && threads?["line"] == 2)
        #expect(threads?["reason"]?.string?.contains("from 1 to 256") == true)
        #expect(problems.contains { $0["key"] == "limts.mails" && $0["line"] == 3 })
        #expect(problems.contains { $0["key"] == "LATCHKEY_LISTENERS" && $0["file"] == nil })

        try "{\n  threads: ,\n}".write(toFile: file, atomically: true, encoding: .utf8)
        let broken = try await latchkey(["check-config", "--config", file])
        #expect(broken.status == 2)
        #expect(broken.error.contains("\(file):2:12: not valid JSON5: a value is missing before ','"))
    }

    @Test func `the administrators in JSON say who may only look`() async throws {
        defer { cleanUp() }
        try await importUsers()
        for words in [["u1"], ["u2", "--read-only"]] {
            let added = try await latchkey(["admin", "add"] + words)
            #expect(added.status == 0, "\(added.error)")
        }
        let list = try JSONValue.parse(try await latchkey(["admin", "list", "--json"]).output)
        #expect(list["items"] == ["u1", "u2"])
        #expect(list["readOnly"] == ["u2"])
    }

    @Test func `users are found by UID, address and username`() async throws {
        defer { cleanUp() }
        try await importUsers()
        for name in ["u1", "A@b.c"] {
            let shown = try await latchkey(["users", "show", name])
            #expect(shown.status == 0, "\(shown.error)")
            #expect(shown.output.contains("UID          u1") && shown.output.contains("a@b.c"))
        }
        for name in ["x@b.c", "nobody-here", "not a name"] {
            let missing = try await latchkey(["users", "show", name, "--json"])
            #expect(missing.status == 1)
            #expect(
                missing.error.contains(#""code":"not-found""#) && missing.error.contains("There is no user \(name).")
            )
        }
    }

    @Test func `a URL of the console comes with what is still to be done before it opens`() async throws {
        defer { cleanUp() }
        try await importUsers()
        let socket = folder + "/admin.sock"
        let production = [
            "LATCHKEY_MODE": "production", "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
            "LATCHKEY_SMTP_URL": "smtp://127.0.0.1:9", "LATCHKEY_MAIL_FROM": "no-reply@example.com",
        ]
        let here = production.merging(["LATCHKEY_ADMIN_LISTEN": "127.0.0.1:9"]) { $1 }
        let made = try await latchkey(["console"], here)
        #expect(made.status == 0 && made.output.hasPrefix("http://127.0.0.1:9/console/open?token="), "\(made.error)")
        #expect(made.output.contains("first run there: ssh -N -L 9:127.0.0.1:9 HOST\n"))
        #expect(made.output.contains("No server listens at 127.0.0.1:9 yet. Start one with this configuration"))
        let file = production.merging(["LATCHKEY_ADMIN_LISTEN": "unix:" + socket]) { $1 }
        let report = try JSONValue.parse(try await latchkey(["console", "--json", "--as", "ann"], file).output)
        #expect(report["url"]?.string?.hasPrefix("http://localhost:9199/console/open?token=") == true)
        #expect(report["forward"]?.string == "9199:" + socket && report["isServed"] == false)
        #expect(report["name"] == "ann" && report["expiresIn"] == 300)

        for (settings, reason) in [
            ([:], "open http://127.0.0.1:9099/console; to open that of another server, give its configuration"),
            (production, "there is no admin listener; set adminListen"),
            (here.merging(["LATCHKEY_CONSOLE": "off"]) { $1 }, "console is off"),
        ] {
            let refused = try await latchkey(["console", "--json"], settings)
            let error = try JSONValue.parse(refused.error)["error"]
            #expect(refused.status == 1 && error?["code"] == "no-console")
            #expect(error?["message"]?.string?.contains(reason) == true, "\(refused.error)")
        }
    }

    @Test func `a user is deleted only after a yes, which a script gives as an option`() async throws {
        defer { cleanUp() }
        try await importUsers()
        let asked = try await latchkey(["users", "delete", "a@b.c"])
        #expect(asked.status == 2)
        #expect(asked.error.contains("This deletes u1 (a@b.c)") && asked.error.contains("--yes"))
        let dry = try await latchkey(["users", "delete", "a@b.c", "--dry-run"])
        #expect(dry.output.hasPrefix("Would delete u1 (a@b.c) with: "), "\(dry.output)")
        #expect(try await latchkey(["users", "show", "u1"]).status == 0)
        let deleted = try await latchkey(["users", "delete", "a@b.c", "--yes"])
        #expect(deleted.status == 0 && deleted.output.contains("u1 is deleted"))
        #expect(try await latchkey(["users", "show", "u1"]).status == 1)
    }

    @Test(arguments: [
        ("Check it. If it is right, run: latchkey mail allow a@b.c", "/etc/l.json5", " --config /etc/l.json5"),
        ("run: latchkey outbox retry ID", "/my files/l", " --config '/my files/l'"),
        ("run: latchkey mail allow a@b.c", nil, ""),
        ("run: latchkey mail allow -- -x@b.c", "/l", ""),
        ("run: latchkey mail test, with an address of yours", "/l", ""),
        ("Ask the user to request a new e-mail.", "/l", ""),
    ])
    func `an advice of the trace has the configuration that was given`(advice: String, config: String?, added: String) {
        #expect(Command.runnable(advice, config) == advice + added)
    }

    @Test func `trace, mail allow and mail bounce answer people, scripts and Postfix`() async throws {
        defer { cleanUp() }
        try await importUsers()
        let empty = try await latchkey(["trace", "a@b.c"])
        #expect(empty.status == 0 && empty.output.hasPrefix("No e-mail was requested for the address.\n"))
        let byUser = try JSONValue.parse(try await latchkey(["trace", "u1", "--json"]).output)
        #expect(byUser["items"]?.array?.isEmpty == true && byUser["nextPage"] == nil)
        let unknown = try await latchkey(["trace", "AZ3qnUQ5T0mQm1Vd3mYx2A"])
        #expect(unknown.status == 1 && unknown.error.contains("AZ3qnUQ5T0mQm1Vd3mYx2A"))
        #expect(try await latchkey(["mail", "allow", "a@b.c"]).output.hasPrefix("a@b.c was not paused, "))
        #expect(try await latchkey(["mail", "allow", "nobody"]).error.contains("nobody is not an e-mail address"))
        // Postfix must neither repeat nor return what is ignored, and repeat what failed.
        let ignored = try await latchkey(["mail", "bounce"])
        #expect(ignored.status == 0 && ignored.output.hasPrefix("Ignored: "))
        let away = try await latchkey(["mail", "bounce"], ["LATCHKEY_DATABASE": "sqlite:\(folder)/none.db"])
        #expect(away.status == 75, "\(away.error)")
    }

    @Test func `a quiet command prints failures only, and a list in JSON has items and a next page`() async throws {
        defer { cleanUp() }
        try await importUsers()
        let quiet = try await latchkey(["users", "list", "--quiet"])
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.error.isEmpty)
        let failed = try await latchkey(["users", "show", "nobody", "--quiet"])
        #expect(failed.status == 1 && failed.error.contains("There is no user nobody"))
        let first = try await latchkey(["users", "list", "--limit", "1", "--json", "--quiet"])
        let page = try JSONValue.parse(first.output)
        #expect(page["items"]?.array?.count == 1 && page["nextPage"] == "u1")
        let rest = try JSONValue.parse(try await latchkey(["users", "list", "--after", "u1", "--json"]).output)
        #expect(rest["items"]?.array?.first?["uid"] == "u2" && rest["nextPage"] == nil)
    }

    @Test(arguments: [
        ["users", "find", "a"], ["audit"], ["outbox", "list"], ["hooks", "list"], ["trace", "a@b.c"],
    ])
    func `a token that no list gave out is refused`(_ list: [String]) async throws {
        defer { cleanUp() }
        try await importUsers()
        for token in ["x", "-1", "0", "99999999999999999999"] {
            let refused = try await latchkey(list + ["--page=" + token, "--json"])
            #expect(refused.status == 1 && refused.output.isEmpty, "\(token)")
            let error = try JSONValue.parse(refused.error)["error"]
            #expect(error?["code"] == "not-found", "\(token)")
            #expect(error?["message"]?.string?.hasPrefix("\(token) is not the token of a page;") == true, "\(token)")
        }
    }

    @Test func `the audit log names the login and the reason, and an export is written for its owner only`()
        async throws
    {
        defer { cleanUp() }
        try await importUsers()
        let reason = ["--reason", "ticket 42"]
        #expect(try await latchkey(["users", "disable", "u1"] + reason).status == 0)
        let file = folder + "/u1.json"
        #expect(try await latchkey(["users", "export", "u1", file]).status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let export = try JSONValue.parse(String(contentsOfFile: file, encoding: .utf8))
        #expect(export["user"]?["email"] == "a@b.c")
        let shown = try await latchkey(["audit", "--user", "a@b.c"])
        #expect(shown.output.contains("user.changed  u1  (disabled)  by "), "\(shown.output)")
        #expect(shown.output.contains("  – ticket 42\n"))
        let found = try JSONValue.parse(try await latchkey(["audit", "--json", "--since", "1h"]).output)
        #expect(
            found["items"]?.array?.compactMap { $0["event"]?.string } == [
                "user.exported", "user.changed", "users.imported",
            ]
        )
        #expect(try await latchkey(["audit", "--since", "yesterday"]).status == 2)
        #expect(try await latchkey(["users", "enable", "u1", "--reason", "two\nlines"]).status == 1)
        for more in [[], ["-"]] {
            let printed = try await latchkey(["users", "export", "u1"] + more)
            #expect(printed.status == 0 && printed.output.contains(#""format":"latchkey-user-1""#), "\(printed.error)")
        }
    }

    @Test func `each setting is shown with its value and its place, and no secret`() async throws {
        defer { cleanUp() }
        let file = folder + "/latchkey.json5"
        let text = """
            {
              threads: 3,
              smtpURL: "smtp://robot:hunter2@mail.example.com:587",
              hooks: [{ name: "crm", url: "https://crm.example.com/", events: ["user.created"], secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0" }],
            }
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let shown = try await latchkey(["config", "show", "--config", file, "--json", "--project-id", "p"])
        #expect(shown.status == 0, "\(shown.error)")
        for secret in ["hunter2", "robot:", "whsec_c2", DatabaseCommandTests.secret] {
            #expect(!shown.output.contains(secret), "\(secret)")
        }
        let items = try JSONValue.parse(shown.output)["items"]?.array ?? []
        func item(_ key: String) -> [String] {
            let found = items.first { $0["key"]?.string == key }
            return [found?["value"]?.string ?? "–", found?["origin"]?.string ?? "–"]
        }
        #expect(item("threads") == ["3", "\(file):2"])
        #expect(item("smtpURL") == ["smtp://********@mail.example.com:587", "\(file):3"])
        #expect(item("hooks") == ["1 entry", "\(file):4"])
        #expect(item("projectID") == ["p", "LATCHKEY_PROJECT_ID"])
        #expect(item("secret") == ["********", "LATCHKEY_SECRET"])
        #expect(item("hookSecrets.crm") == ["********", "hooks: crm"])
        #expect(item("adminKey") == ["–", "default"])
        #expect(item("life.audit") == ["400d", "default"])
        #expect(item("listen") == ["127.0.0.1:9099", "default"])
        #expect(item("database") == [database, "LATCHKEY_DATABASE"])
        let given = try await latchkey(["config", "show", "--config", file, "--given"])
        #expect(given.output.split(separator: "\n").count == 6, "\(given.output)")
        let audit = try await latchkey(["config", "show", "life.audit", "--config", file])
        #expect(audit.output == "life.audit  400d  (default)\n", "\(audit.output)")
        let life = try await latchkey(["config", "show", "life", "--config", file])
        let lines = life.output.split(separator: "\n")
        #expect(lines.count > 5 && lines.allSatisfy { $0.hasPrefix("life.") }, "\(life.output)")
        let unknown = try await latchkey(["config", "show", "lif", "--config", file])
        #expect(unknown.status == 1 && unknown.error.contains("There is no setting lif."))
    }

    @Test func `the name of a file is never changed`() async throws {
        defer { cleanUp() }
        try await importUsers()
        // A name that begins the sentence, too.
        for path in ["backup1.db", "\(folder)/Backup2.db"] {
            #expect(try await latchkey(["backup", path], in: folder).status == 0)
            let again = try await latchkey(["backup", path], in: folder)
            #expect(again.status == 1 && again.error.contains("latchkey: \(path) already exists"), "\(again.error)")
        }
    }

    @Test func `a database on a server without a configured secret is refused, and no file is made`() async throws {
        defer { cleanUp() }
        let server = try PostgreSQLServer.shared.get()
        let work = folder + "/work"
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        let database = try server.makeDatabase()
        for command in [["users", "list"], ["serve", "--listen", "127.0.0.1:0"], ["check-config"]] {
            let arguments = command + ["--database", database]
            let refused = try await runProgram(arguments, input: "", environment: [:], in: work)
            #expect(refused.status != 0)
            #expect(
                refused.error.contains("a configured secret") && refused.error.contains("LATCHKEY_SECRET_FILE"),
                "\(command): \(refused.error)"
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: work).isEmpty)
        }
        let tables = try server.psql(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        #expect(tables.isEmpty, "\(tables)")
    }

    @Test func `clean-up that is switched on gives one account of its guests`() async throws {
        defer { cleanUp() }
        try await importUsers()
        let asked = try await latchkey(["cleanup", "on"])
        #expect(
            asked.status == 2 && asked.error.contains("This deletes guests with all their data 30 days after their")
        )
        let other = try await latchkey(["cleanup", "on", "--days", "3", "--since", "lastUse"])
        #expect(other.error.contains("3 days after their last use, 1 of 1 guest within 30 days"), "\(other.error)")
        #expect(try await latchkey(["cleanup", "status"]).output.hasPrefix("Clean-up is off"))
        let on = try await latchkey(["cleanup", "on", "--yes"])
        #expect(on.status == 0)
        #expect(
            on.output.contains(
                "1 guest in all, 0 with a removal time; a running server or 'latchkey cleanup' gives the other 1 one."
            )
        )
        #expect(try await latchkey(["cleanup"]).status == 0)
        let status = try await latchkey(["cleanup", "status"])
        #expect(status.output.contains("1 guest in all, 1 with a removal time.\n"), "\(status.output)")
    }
}
