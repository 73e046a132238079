import Foundation
import Glibc
import ProcessHarness
import Synchronization

/// A process of the real program: the `latchkey` that was built with these tests.
final class Program: Sendable {
    private struct State {
        var output: [String] = []
        var errors: [String] = []
        var status: Int32?
        /// The output pipes that have not been read to their end.
        var unfinishedPipes = 2
    }

    private let state = Mutex(State())
    private let process: Process

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - words: its arguments.
    ///   - environment: its whole environment, except for the path.
    ///   - folder: the working directory.
    ///   - wrapper: words that start it in another way, such as `["unshare", "--user"]`.
    convenience init(
        _ words: [String],
        environment: [String: String],
        in folder: Folder,
        wrapper: [String] = []
    ) throws {
        try self.init(command: wrapper + [Self.path] + words, environment: environment, in: folder)
    }

    /// Starts any program.
    init(command: [String], environment: [String: String], in folder: Folder) throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(Self.sanitizer) { $1 }
            .merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.standardInput = FileHandle.nullDevice
        let output = Pipe(), errors = Pipe()
        // A process that another thread starts at the same moment must not keep the pipes open.
        for pipe in [output, errors] {
            for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
        }
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [weak self] process in
            let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            self?.state.withLock { $0.status = status }
        }
        try process.start()
        let finish: @Sendable () -> Void = { [weak self] in self?.state.withLock { $0.unfinishedPipes -= 1 } }
        Self.read(output, { [weak self] line in self?.state.withLock { $0.output.append(line) } }, atEnd: finish)
        Self.read(errors, { [weak self] line in self?.state.withLock { $0.errors.append(line) } }, atEnd: finish)
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// The path of the program, in the folder of the test bundle.
    static var path: String {
        let words = ProcessInfo.processInfo.arguments
        let bundle = words.first { $0.hasSuffix(".xctest") } ?? words[0]
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: "latchkey").path
    }

    /// The variables that steer a sanitizer (Scripts/test-swift), which the server was built with as well.
    private static let sanitizer = ProcessInfo.processInfo.environment.filter { name, _ in
        ["LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains(name)
    }

    var pid: Int32 { process.processIdentifier }
    /// Lines of standard output so far.
    var output: [String] { state.withLock { $0.output } }
    /// Lines of standard error so far.
    var errors: [String] { state.withLock { $0.errors } }
    /// Its exit status once it has ended; minus the signal that killed it.
    var status: Int32? { state.withLock { $0.status } }

    func signal(_ number: Int32) {
        Glibc.kill(pid, number)
    }

    /// Waits for the program to end and for its whole output.
    func end(within seconds: Double = 120) async throws -> Int32 {
        let status = try await eventually(within: seconds, "the end of the program") { self.status }
        // A process that the program started and that still runs keeps the pipes open. Its output may be missing.
        _ = try? await eventually(within: 30, "the end of the output") {
            self.state.withLock { $0.unfinishedPipes == 0 } ? true : nil
        }
        return status
    }

    /// Runs the program until it ends.
    static func run(
        _ words: [String],
        environment: [String: String] = [:],
        in folder: Folder,
        within seconds: Double = 120
    ) async throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(words, environment: environment, in: folder)
        let status = try await program.end(within: seconds)
        return (status, program.output.joined(separator: "\n"), program.errors.joined(separator: "\n"))
    }

    /// Reads lines on a thread of its own until the pipe ends.
    private static func read(
        _ pipe: Pipe,
        _ take: @escaping @Sendable (String) -> Void,
        atEnd finish: @escaping @Sendable () -> Void
    ) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
            if !rest.isEmpty { take(String(decoding: rest, as: UTF8.self)) }
            finish()
            // Otherwise thousands of programs in one process would use up its file descriptors, which Foundation's
            // Process does not survive.
            try? handle.close()
        }
    }
}

/// An event that did not happen in time.
struct Late: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain for \(what)" }
}

/// Polls until there is a result.
func eventually<T>(within seconds: Double, _ what: String, _ look: () async throws -> T?) async throws -> T {
    let deadline = ContinuousClock.now + .milliseconds(Int64(seconds * 1000))
    while true {
        if let found = try await look() { return found }
        guard ContinuousClock.now < deadline else { throw Late(what: what) }
        try await Task.sleep(for: .milliseconds(20))
    }
}
