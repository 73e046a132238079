import Foundation
import PostgreSQLHarness
import SMTPHarness

/// `latchkey serve` in its own process, ready to answer.
struct TestedServer: Sendable {
    let program: Program
    let host: String
    let port: UInt16
    var url: String { "http://\(host):\(port)" }

    /// Starts a server in development mode and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: the folder of its database, unless the environment names another one.
    ///   - mail: the mail server; nil for the server's own mailbox.
    ///   - settings: further variables, without the prefix `LATCHKEY_`.
    ///   - wrapper: see `Program`.
    static func start(
        in folder: Folder,
        mail: SMTPServer? = nil,
        _ settings: [String: String] = [:],
        wrapper: [String] = []
    ) async throws -> TestedServer {
        try await start(environment: environment(folder, mail: mail, settings), in: folder, wrapper: wrapper)
    }

    /// Starts a server with its whole environment given, and waits until it is ready.
    static func start(
        environment: [String: String],
        in folder: Folder,
        wrapper: [String] = []
    ) async throws -> TestedServer {
        let program = try Program(["serve"], environment: environment, in: folder, wrapper: wrapper)
        let url = try await eventually(within: 120, "the line of readiness") {
            if let url = address(in: program.output) { return url }
            guard program.status == nil else { throw Late(what: "a start:\n" + program.errors.joined(separator: "\n")) }
            return nil
        }
        let parts = url.dropFirst("http://".count).split(separator: ":")
        guard url.hasPrefix("http://"), parts.count == 2, let port = UInt16(parts[1]) else {
            throw Late(what: "an address in \(url)")
        }
        return TestedServer(program: program, host: String(parts[0]), port: port)
    }

    /// Returns the URL in the line of readiness, in either format of the log; `nil` without such a line.
    static func address(in output: [String]) -> String? {
        let text = "latchkey: listening on ", json = #""event":"server.listening","url":""#
        return output.lazy.compactMap { line in
            if line.hasPrefix(text) { return String(line.dropFirst(text.count)) }
            return line.range(of: json).map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }.first
    }

    /// Returns the variables of such a server, also for operator commands.
    static func environment(
        _ folder: Folder,
        mail: SMTPServer? = nil,
        _ settings: [String: String] = [:]
    ) -> [String: String] {
        var variables = [
            "LISTEN": "127.0.0.1:0", "MAILBOX_LISTEN": "127.0.0.1:0", "DATABASE": folder.database.url,
        ]
        if let mail { variables["SMTP_URL"] = "smtp://127.0.0.1:\(mail.port)" }
        variables.merge(settings) { $1 }
        if !TestDatabase.isFile, variables["SECRET"] == nil, variables["SECRET_FILE"] == nil {
            variables["SECRET"] = "a-secret-of-the-tests-with-more-than-32-bytes"
        }
        return Dictionary(uniqueKeysWithValues: variables.map { ("LATCHKEY_\($0.key)", $0.value) })
    }

    func caller() throws -> Caller { try Caller(port: port) }

    /// Stops the server and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        program.signal(signal)
        return try await program.end()
    }

    /// Kills the server and waits until the system has noticed.
    func kill() async throws {
        program.signal(SIGKILL)
        _ = try await program.end()
    }
}
