internal import Foundation
internal import Glibc

/// A PostgreSQL server that a test sets up in its own way: with TLS, or following another one.
package final class SpecialServer {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where its data and its socket are.
    package let folder: String
    private let port: Int
    private let process: Process

    /// Makes a cluster and starts it, with its socket in its folder.
    ///
    /// - Parameters:
    ///   - settings: those of the server beside the usual ones, `name=value`.
    ///   - port: where it listens for TCP connections, where it does; the name of its socket.
    ///   - makeData: makes the folder's `data`, which a new cluster is for where it does nothing.
    package init(_ settings: [String], port: Int = 5432, makeData: (String) throws -> Void = { _ in }) throws {
        self.port = port
        folder = "/tmp/latchkey-special-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try Self.run("chown", "postgres", folder, asServer: false) }
        try makeData(folder)
        if !FileManager.default.fileExists(atPath: "\(folder)/data") {
            try Self.run(
                "\(Self.binaries)/initdb",
                "-D",
                "\(folder)/data",
                "-U",
                "latchkey",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "-N"
            )
        }
        let usual = ["listen_addresses=", "unix_socket_directories=\(folder)", "port=\(port)", "fsync=off"]
        process = Self.process(
            ["\(Self.binaries)/postgres", "-D", "\(folder)/data"] + (usual + settings).flatMap { ["-c", $0] }
        )
        _ = FileManager.default.createFile(atPath: "\(folder)/log", contents: nil)
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/log"))
        process.standardOutput = log
        process.standardError = log
        try process.run()
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? psql("SELECT 1")) == nil {
            guard ContinuousClock.now < deadline, process.isRunning else {
                throw Failed(description: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "no log")
            }
            usleep(20_000)
        }
    }

    /// How its database `postgres` is reached.
    package var url: String {
        "postgresql://latchkey@\(folder.replacingOccurrences(of: "/", with: "%2F")):\(port)/postgres"
    }

    /// Stops it, as a crash does, and removes its files.
    package func remove() {
        kill(process.processIdentifier, SIGQUIT)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs SQL by hand.
    @discardableResult
    package func psql(_ sql: String) throws -> String {
        try Self.run("\(Self.binaries)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, url)
    }

    /// Where its programs are.
    package static let binaries = "/usr/lib/postgresql/15/bin"

    /// Runs a command to its end, as the user whom the server runs as.
    @discardableResult
    package static func run(_ command: String..., asServer: Bool = true) throws -> String {
        let process = process(command, asServer: asServer)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(description: "\(command): \(text)") }
        return text
    }

    private static func process(_ command: [String], asServer: Bool = true) -> Process {
        let process = Process()
        let user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (asServer && getuid() == 0 ? user : []) + command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        return process
    }
}

/// A server that falls silent and speaks again: its processes, of which nothing says that they are stopped.
package struct SilentServer {
    private let processes: [pid_t]

    /// Stops the processes of the cluster in a folder.
    package init(_ folder: String) throws {
        let lock = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        let server = pid_t(lock.split(separator: "\n").first ?? "") ?? 0
        guard server > 1 else { throw SpecialServer.Failed(description: "no server in \(folder)") }
        // The server first, so that it makes no more of them.
        kill(server, SIGSTOP)
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
        let children = all.filter { process in
            let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // After the name in parentheses: state, parent.
            return state?.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(server)"
        }
        for child in children { kill(child, SIGSTOP) }
        processes = [server] + children
    }

    /// Lets them go on.
    package func speakAgain() {
        for process in processes { kill(process, SIGCONT) }
    }
}
