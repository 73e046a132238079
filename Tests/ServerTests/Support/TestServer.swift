import Database
import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Server
import Synchronization

/// A real server with its own database in a temporary folder, and a record of its actions.
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
    /// The statements that fail.
    let faults: Faults
    let disk: TestDisk
    private let adjust: Adjustment
    let neighbour = Neighbour()
    private let isStopped = Atomic(false)

    /// Replaces parts of a server's environment for one test.
    typealias Adjustment = @Sendable (inout InstanceEnvironment) -> Void

    /// Limits the number of concurrent servers, so that the machine stays responsive.
    static let gate = Gate(4)

    init(
        _ settings: [String: String],
        file: String?,
        folder: URL,
        smtp: SMTPServer?,
        clock: TestClock = TestClock(),
        pace: Changes.Pace = Changes.Pace(),
        adjust: @escaping Adjustment = { _ in }
    ) throws {
        environment = settings
        self.file = file
        self.folder = folder
        self.smtp = smtp
        self.clock = clock
        self.adjust = adjust
        let statements = Lines(), log = Lines(), announced = Lines(), faults = Faults(), disk = TestDisk()
        var environment = InstanceEnvironment()
        environment.clock = clock.now
        environment.housekeepingInterval = .milliseconds(200)
        environment.traceInterval = .milliseconds(50)
        environment.listening = pace
        environment.freeSpace = disk.free
        // On a busy machine, clients of tests pause for longer than the default.
        environment.idleTimeout = .seconds(600)
        // 256 digests on average, so that a test solves it quickly.
        environment.challengeDifficulty = 8
        environment.onStatement = { statement in
            statements.add(statement)
            try faults.check(statement)
        }
        adjust(&environment)
        instance = try Instance.start(
            Configuration.load(file: file, environment: settings),
            environment: environment,
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

    /// Runs a server in development mode during `body`, which has a separate thread and may therefore block.
    ///
    /// - Parameters:
    ///   - settings: environment variables without `LATCHKEY_`.
    ///   - file: the configuration file, as JSON5.
    ///   - pace: the pace at which change streams are checked.
    ///   - adjust: replaces further parts of the environment.
    ///   - body: the test.
    static func run(
        _ settings: [String: String] = [:],
        file: String? = nil,
        pace: Changes.Pace = Changes.Pace(),
        adjust: @escaping Adjustment = { _ in },
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
                        adjust: adjust,
                        body
                    )
                }
            }
        }
    }

    /// Runs a server in production mode, which sends its e-mails to a mail server of the test.
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
        adjust: @escaping Adjustment = { _ in },
        _ body: (TestServer) throws -> Void
    ) throws {
        try serve(
            settings,
            file: file,
            folder: folder,
            smtp: smtp,
            database: TestDatabase(in: folder.path),
            pace: pace,
            adjust: adjust,
            body
        )
    }

    /// Runs a server on a database that may have content.
    static func serve(
        _ settings: [String: String],
        file: String? = nil,
        folder: URL,
        smtp: SMTPServer? = nil,
        database: TestDatabase,
        clock: TestClock = TestClock(),
        pace: Changes.Pace = Changes.Pace(),
        adjust: @escaping Adjustment = { _ in },
        _ body: (TestServer) throws -> Void
    ) throws {
        defer { withExtendedLifetime(database) {} }
        var all = [
            "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
        ]
        all.merge(try database.settings) { $1 }
        if TestDatabase.Engine.current != .sqlite {
            // Without a database file there is no place for development's secret file.
            all["LATCHKEY_SECRET"] = secret
            // Half of the default, because a server process of PostgreSQL that has just started costs some milliseconds.
            all["LATCHKEY_POSTGRESQL_CONNECTIONS"] = "4"
        }
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
            clock: clock,
            pace: pace,
            adjust: adjust
        )
        defer { server.stop() }
        try body(server)
    }

    /// Runs a body with a folder that is deleted afterwards.
    static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Runs an asynchronous body with a folder that is deleted afterwards.
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

    /// Runs a body on a separate thread, which may block without delaying the cooperative pool.
    ///
    /// The thread runs the test's task, so that an expectation that fails names the test.
    static func inThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(SeparateThread()) { try await run(body) }
    }

    @concurrent
    private static func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try body()
    }

    /// Opens the server's database and secret once more, with the server's clock.
    func openStore() throws -> Store {
        var instanceEnvironment = InstanceEnvironment()
        instanceEnvironment.clock = clock.now
        return try Store.open(
            Configuration.load(file: file, environment: environment),
            environment: instanceEnvironment,
            logger: Log { _ in }
        )
    }

    /// Stops the server; does nothing if it has been stopped.
    func stop(within limit: Duration = .seconds(2)) {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        instance.stop(within: limit)
        neighbour.close()
    }

    /// Runs another node on the same database and with the same clock, while this one runs.
    func beside(_ settings: [String: String] = [:], _ body: (TestServer) throws -> Void) throws {
        var all = environment
        for (name, value) in settings { all["LATCHKEY_\(name)"] = value }
        let server = try TestServer(all, file: file, folder: folder, smtp: smtp, clock: clock, adjust: adjust)
        defer { server.stop() }
        try body(server)
    }

    /// Stops this server and runs another one on the same database and with the same clock.
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
            adjust: adjust
        )
        defer { server.stop() }
        try body(server)
    }
}

/// The machine's clock, which a test may advance and stop.
final class TestClock: Sendable {
    private let ahead = Atomic<Int64>(0)
    /// The machine's time when the clock was stopped; 0 while it runs.
    private let stoppedAt = Atomic<Int64>(0)

    /// Milliseconds since 1970.
    @Sendable
    func now() -> Int64 {
        let stopped = stoppedAt.load(ordering: .relaxed)
        return (stopped == 0 ? SQLiteConfiguration.machineClock() : stopped) + ahead.load(ordering: .relaxed)
    }

    /// Stops the clock, so that only the test advances it.
    ///
    /// What depends on it is the same on a slow machine.
    func freeze() {
        _ = stoppedAt.compareExchange(
            expected: 0,
            desired: SQLiteConfiguration.machineClock(),
            ordering: .relaxed
        )
    }

    /// Advances the clock.
    func advance(seconds: Int64) { ahead.add(seconds * 1000, ordering: .relaxed) }

    /// Sets the clock to a time in milliseconds since 1970.
    func set(_ time: Int64) { ahead.add(time - now(), ordering: .relaxed) }

    /// Advances the clock to the beginning of a minute.
    func startMinute() { advance(seconds: 60 - now() / 1000 % 60) }

    /// Moves the clock to the beginning of a minute and stops it, so that all of a test's counts are of that minute.
    func freezeAtMinute() {
        startMinute()
        freeze()
    }

    /// Moves the clock to the beginning of an hour and stops it, so that all of a test's counts are of that hour.
    func freezeAtHour() {
        startHour()
        freeze()
    }

    /// Advances the clock to the beginning of an hour, so that no limit's window ends during a test.
    func startHour() { ahead.add(3_600_000 - now() % 3_600_000, ordering: .relaxed) }

    /// Advances the clock to noon, UTC, so that a day's window ends in less than a day.
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

/// The disk of the server's database, with free space set by the test.
final class TestDisk: Sendable {
    private let bytes = Atomic<Int64>(.max)

    /// The free space in bytes.
    @Sendable
    func free() -> Int64 { bytes.load(ordering: .relaxed) }

    /// Sets the free space.
    func leave(mebibytes: Int64) { bytes.store(mebibytes << 20, ordering: .relaxed) }
}

/// A point at which statements wait until a test releases them.
final class Hold: Sendable {
    private struct State {
        var arrivals = 0
        var isReleased = false
    }

    private let beginnings: [String]
    private let state = Mutex(State())

    init(beginnings: [String]) {
        self.beginnings = beginnings
    }

    /// Whether a statement waits, or has waited.
    var isReached: Bool { arrivals > 0 }

    /// The number of statements that wait, or have waited.
    var arrivals: Int { state.withLock(\.arrivals) }

    /// Lets the statements continue, and later ones pass.
    func release() { state.withLock { $0.isReleased = true } }

    fileprivate func pass(_ statement: String) {
        guard beginnings.contains(where: statement.hasPrefix) else { return }
        state.withLock { $0.arrivals += 1 }
        while !state.withLock(\.isReleased) { usleep(1000) }
    }
}

/// Makes a statement fail, once, or all statements that a test chooses.
final class Faults: Sendable {
    struct Planned: Error {}

    private let statement = Mutex<String?>(nil)
    private let hold = Mutex<Hold?>(nil)
    private let outage = Mutex<(error: DatabaseError, onlyWrites: Bool)?>(nil)

    /// Makes statements fail until ``endOutage()``.
    func beginOutage(_ kind: DatabaseError.Kind, onlyWrites: Bool = false) {
        outage.withLock { $0 = (DatabaseError(kind, message: "planned by the test"), onlyWrites) }
    }

    func endOutage() {
        outage.withLock { $0 = nil }
    }

    /// Makes the next statement with this text fail.
    func plan(_ statement: String) {
        self.statement.withLock { $0 = statement }
    }

    /// Whether the planned failure has not happened; cancels it.
    func isStillPlanned() -> Bool {
        statement.withLock { $0.take() != nil }
    }

    /// Makes the database wait before statements that begin with one of these texts, until the hold is released.
    func hold(_ beginnings: String...) -> Hold {
        let new = Hold(beginnings: beginnings)
        hold.withLock { $0 = new }
        return new
    }

    func check(_ statement: String) throws {
        hold.withLock { $0 }?.pass(statement)
        if let outage = outage.withLock({ $0 }), !outage.onlyWrites || Trace.isWrite(statement) { throw outage.error }
        let isDue = self.statement.withLock { planned in
            guard planned == statement else { return false }
            planned = nil
            return true
        }
        if isDue { throw Planned() }
    }
}

/// Lets a limited number of bodies run at a time.
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
