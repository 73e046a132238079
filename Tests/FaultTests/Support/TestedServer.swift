import Foundation
import PostgreSQLHarness
import SMTPHarness

/// `latchkey serve` in a process of its own, ready to answer.
struct TestedServer: Sendable {
    let program: Program
    let host: String
    let port: UInt16
    var url: String { "http://\(host):\(port)" }

    /// Starts it in development mode and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: Whose database it is on, unless the environment says otherwise.
    ///   - mail: Where mails go; nil for the server's own mailbox.
    ///   - settings: Further variables, without their `LATCHKEY_`.
    ///   - wrapper: See `Program`.
    static func start(
        in folder: Folder,
        mail: SMTPServer? = nil,
        _ settings: [String: String] = [:],
        wrapper: [String] = []
    ) async throws -> TestedServer {
        try await start(environment: environment(folder, mail: mail, settings), in: folder, wrapper: wrapper)
    }

    /// Starts it with all of its environment given, and waits until it is ready.
    static func start(
        environment: [String: String],
        in folder: Folder,
        wrapper: [String] = []
    ) async throws -> TestedServer {
        let program = try Program(["serve"], environment: environment, in: folder, wrapper: wrapper)
        let ready = "latchkey: listening on http://"
        let line = try await eventually(within: 30, "the line of readiness") {
            if let line = program.output.first(where: { $0.hasPrefix(ready) }) { return line }
            guard program.status == nil else { throw Late(what: "a start:\n" + program.errors.joined(separator: "\n")) }
            return nil
        }
        let parts = line.dropFirst(ready.count).split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { throw Late(what: "an address in \(line)") }
        return TestedServer(program: program, host: String(parts[0]), port: port)
    }

    /// The variables of such a server, also for operator commands beside it.
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
        return Dictionary(uniqueKeysWithValues: variables.map { ("LATCHKEY_\($0.key)", $0.value) })
    }

    func caller() throws -> Caller { try Caller(port: port) }

    /// Asks it to stop, and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        program.signal(signal)
        return try await program.end()
    }

    /// Kills it and waits until the system has noticed.
    func kill() async throws {
        program.signal(SIGKILL)
        _ = try await program.end()
    }
}
