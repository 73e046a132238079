import Foundation
import ProcessHarness

/// A real program, run until it ends without blocking a thread of Swift's pool.
struct Tool {
    let status: Int32
    let output: String
    let errors: String

    struct NotRun: Error { let reason: String }

    /// Runs a program.
    static func run(
        _ path: String,
        _ arguments: [String],
        input: [UInt8] = [],
        timeout: Duration = .seconds(120)
    ) async throws -> Tool {
        let folder = try TemporaryFolder()
        let inputFile = try folder.write(input, as: "in")
        let outputFile = try folder.write([], as: "out")
        let errorFile = try folder.write([], as: "err")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputFile))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
        let (ends, continuation) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.start()
        let pid = process.processIdentifier
        let watchdog = Task {
            try await Task.sleep(for: timeout)
            kill(pid, SIGKILL)
        }
        defer { watchdog.cancel() }
        var status: Int32?
        for await end in ends { status = end }
        guard let status else { throw NotRun(reason: path) }
        return Tool(
            status: status,
            output: String(decoding: try Data(contentsOf: URL(fileURLWithPath: outputFile)), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorFile)), as: UTF8.self)
        )
    }

    /// Runs Debian's curl as an SMTP client.
    ///
    /// `message` is uploaded as it is; curl stuffs the dots.
    static func curl(
        port: UInt16,
        from sender: String = "app@example.org",
        to recipients: [String] = ["you@example.org"],
        message: [UInt8] = Array("Subject: hello\r\n\r\nHello.\r\n".utf8),
        scheme: String = "smtp",
        host: String = "127.0.0.1",
        _ options: [String] = []
    ) async throws -> Tool {
        var arguments = [
            "--silent", "--show-error", "--max-time", "15", "--url", "\(scheme)://\(host):\(port)/test.client",
        ]
        arguments += ["--mail-from", sender]
        for recipient in recipients { arguments += ["--mail-rcpt", recipient] }
        arguments += ["--upload-file", "-"] + options
        return try await run("/usr/bin/curl", arguments, input: message)
    }

    /// Runs Debian's Python with a script.
    static func python(_ script: String, _ arguments: [String] = []) async throws -> Tool {
        try await run("/usr/bin/python3", ["-c", script] + arguments)
    }
}
