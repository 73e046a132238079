import Database
import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Server
import Synchronization

/// A real server with a database of its own in a temporary folder, and what it did.
final class TestServer: Sendable {
    let instance: Instance
    let port: UInt16
    let folder: URL
    let environment: [String: String]
    let file: String?
    let clock: TestClock
    let statements: Lines
    let log: Lines
    let announced: Lines
    /// The mail server of production; development has its own.
    let smtp: SMTPServer?
    /// Statements that are to fail.
    let faults: Faults
    let disk: TestDisk
    private let probeInterval: Duration
    let neighbour = Neighbour()
    private let isStopped = Atomic(false)

    /// At most so many servers at once, so that the machine stays quick.
    static let gate = Gate(4)

    init(
        _ settings: [String: String],
        file: String?,
        folder: URL,
        smtp: SMTPServer?,
        clock: TestClock = TestClock(),
        pace: Changes.Pace = Changes.Pace(),
        probeInterval: Duration = .seconds(5)
    ) throws {
        environment = settings
        self.file = file
        self.folder = folder
        self.smtp = smtp
        self.clock = clock
        self.probeInterval = probeInterval
        let statements = Lines(), log = Lines(), announced = Lines(), faults = Faults(), disk = TestDisk()
        var surroundings = Surroundings()
        surroundings.clock = clock.now
        surroundings.housekeepingInterval = .milliseconds(200)
        surroundings.listening = pace
        surroundings.probeInterval = probeInterval
        surroundings.freeSpace = disk.free
        // 256 digests on average, so that a test solves it in no time.
        surroundings.challengeDifficulty = 8
        surroundings.onStatement = { statement in
            statements.add(statement)
            try faults.check(statement)
        }
        instance = try Instance.start(
            Configuration.load(file: file, environment: settings),
            surroundings: surroundings,
            logger: Log { log.add(String(decoding: $0, as: UTF8.self)) },
            announce: { announced.add($0) }
        )
        port = UInt16(instance.url.split(separator: ":").last ?? "") ?? 0
        self.statements = statements
        self.log = log
        self.announced = announced
        self.faults = faults
        self.disk = disk
    }

    /// Runs a server in development mode for the time of `body`, which has a thread of its own and so may wait.
    ///
    /// - Parameters:
    ///   - settings: environment variables without `LATCHKEY_`.
    ///   - file: what stands in the configuration file, as JSON5.
    ///   - pace: how often listening clients are looked at.
    ///   - probeInterval: how long nothing may be committed before a write is tried.
    ///   - body: the test.
    static func run(
        _ settings: [String: String] = [:],
        file: String? = nil,
        pace: Changes.Pace = Changes.Pace(),
        probeInterval: Duration = .seconds(5),
        _ body: @escaping @Sendable (TestServer) throws -> Void
    ) async throws {
        try await gate.pass {
            try await inThread {
                try inFolder { folder in
                    try serve(
                        settings,
                        file: file,
                        folder: folder,
                        smtp: nil,
                        pace: pace,
                        probeInterval: probeInterval,
                        body
                    )
                }
            }
        }
    }

    /// Runs a server in production mode, which sends its mail to a mail server of the test.
    static func runInProduction(
        _ settings: [String: String] = [:],
        file: String? = nil,
        _ body: @escaping @Sendable (TestServer) throws -> Void
    ) async throws {
        try await gate.pass {
            try await inThread {
                let smtp = try SMTPServer()
                let port = try smtp.start()
                defer { smtp.stop() }
                let production = [
                    "MODE": "production", "SECRET": secret, "PUBLIC_URL": "https://auth.example.com",
                    "SMTP_URL": "smtp://127.0.0.1:\(port)", "MAIL_FROM": "Example <no-reply@example.com>",
                ]
                try inFolder { folder in
                    let all = production.merging(settings) { $1 }
                    try serve(all, file: file, folder: folder, smtp: smtp, body)
                }
            }
        }
    }

    static let secret = "a-secret-of-the-tests-with-more-than-32-bytes"

    private static func serve(
        _ settings: [String: String],
        file: String?,
        folder: URL,
        smtp: SMTPServer?,
        pace: Changes.Pace = Changes.Pace(),
        probeInterval: Duration = .seconds(5),
        _ body: (TestServer) throws -> Void
    ) throws {
        let database = try TestDatabase(in: folder.path)
        defer { withExtendedLifetime(database) {} }
        var all = [
            "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
        ]
        all.merge(try database.settings) { $1 }
        // Without a file there is nothing for a secret of development to stand beside.
        if TestDatabase.Engine.current != .sqlite { all["LATCHKEY_SECRET"] = secret }
        for (name, value) in settings { all["LATCHKEY_\(name)"] = value }
        var path: String?
        if let file {
            let url = folder.appendingPathComponent("latchkey.json5")
            try Data(file.utf8).write(to: url)
            path = url.path
        }
        let server = try TestServer(
            all,
            file: path,
            folder: folder,
            smtp: smtp,
            pace: pace,
            probeInterval: probeInterval
        )
        defer { server.stop() }
        try body(server)
    }

    /// Runs a body with a folder that is gone afterwards.
    static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Runs a body that suspends with a folder that is gone afterwards.
    static func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Runs a body on a thread of its own, which may wait without holding up the cooperative pool.
    static func inThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    /// The server's database and secret once more, by the server's clock.
    func openStore() throws -> Store {
        var surroundings = Surroundings()
        surroundings.clock = clock.now
        return try Store.open(
            Configuration.load(file: file, environment: environment),
            surroundings: surroundings,
            logger: Log { _ in }
        )
    }

    /// Stops the server, once.
    func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        instance.stop(within: .seconds(2))
        neighbour.close()
    }

    /// Another node on the same database and with the same clock, while this one runs.
    func beside(_ settings: [String: String] = [:], _ body: (TestServer) throws -> Void) throws {
        var all = environment
        for (name, value) in settings { all["LATCHKEY_\(name)"] = value }
        let server = try TestServer(all, file: file, folder: folder, smtp: smtp, clock: clock)
        defer { server.stop() }
        try body(server)
    }

    /// Another server on the same database and with the same clock, once this one has been stopped.
    func restarted(_ settings: [String: String] = [:], _ body: (TestServer) throws -> Void) throws {
        stop()
        var all = environment
        for (name, value) in settings { all["LATCHKEY_\(name)"] = value }
        let server = try TestServer(
            all,
            file: file,
            folder: folder,
            smtp: smtp,
            clock: clock,
            probeInterval: probeInterval
        )
        defer { server.stop() }
        try body(server)
    }
}

/// The machine's clock, which a test may put forward.
final class TestClock: Sendable {
    private let ahead = Atomic<Int64>(0)

    /// Milliseconds since 1970.
    @Sendable
    func now() -> Int64 { SQLiteConfiguration.machineClock() + ahead.load(ordering: .relaxed) }

    /// Puts the clock forward.
    func advance(seconds: Int64) { ahead.add(seconds * 1000, ordering: .relaxed) }

    /// Puts the clock forward to the beginning of an hour, so that no window of a limit ends in the middle of a test.
    func startHour() { ahead.add(3_600_000 - now() % 3_600_000, ordering: .relaxed) }

    /// Puts the clock forward to noon, UTC, so that a day's window ends in less than a day.
    func startNoon() { ahead.add(86_400_000 - (now() + 43_200_000) % 86_400_000, ordering: .relaxed) }
}

/// Lines that any thread may add.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func clear() { lines.withLock { $0 = [] } }
    func contains(_ text: String) -> Bool { all.contains { $0.contains(text) } }
}

/// The disk of the server's database, as the test says it is.
final class TestDisk: Sendable {
    private let bytes = Atomic<Int64>(.max)

    /// The free space in bytes.
    @Sendable
    func free() -> Int64 { bytes.load(ordering: .relaxed) }

    /// Leaves so much space.
    func leave(mebibytes: Int64) { bytes.store(mebibytes << 20, ordering: .relaxed) }
}

/// Makes a statement fail, once, or all that a test chooses.
final class Faults: Sendable {
    struct Planned: Error {}

    private let statement = Mutex<String?>(nil)
    private let outage = Mutex<(error: DatabaseError, onlyWrites: Bool)?>(nil)

    /// Lets statements fail until ``endOutage()``.
    func beginOutage(_ kind: DatabaseError.Kind, onlyWrites: Bool = false) {
        outage.withLock { $0 = (DatabaseError(kind, message: "planned by the test"), onlyWrites) }
    }

    func endOutage() {
        outage.withLock { $0 = nil }
    }

    /// Lets the next statement of this text fail.
    func plan(_ statement: String) {
        self.statement.withLock { $0 = statement }
    }

    /// Whether what was planned has not happened; it will not any more.
    func isStillPlanned() -> Bool {
        statement.withLock { $0.take() != nil }
    }

    func check(_ statement: String) throws {
        if let outage = outage.withLock({ $0 }), !outage.onlyWrites || Trace.isWrite(statement) { throw outage.error }
        let isDue = self.statement.withLock { planned in
            guard planned == statement else { return false }
            planned = nil
            return true
        }
        if isDue { throw Planned() }
    }
}

/// Lets a few in at a time.
actor Gate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    /// Runs a body once there is room.
    nonisolated func pass(_ body: @Sendable () async throws -> Void) async throws {
        await enter()
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await leave()
        try result.get()
    }

    private func enter() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
