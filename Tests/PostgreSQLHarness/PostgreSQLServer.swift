internal import Foundation
internal import Glibc
internal import ProcessHarness
internal import Synchronization

/// A PostgreSQL server for the tests: in a temporary folder, on a socket there, started once and stopped at the end.
package final class PostgreSQLServer: Sendable {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of its data and its socket.
    package let folder: String
    private let port: Int
    private let settings: [String]
    /// The server's process; 0 while it is stopped.
    private let process = Mutex<pid_t>(0)
    /// The connection that creates databases.
    let maker = Mutex<Connection?>(nil)
    /// The connection that removes databases, in the background.
    let remover = Mutex<Connection?>(nil)
    let removals = DispatchQueue(label: "removal of test databases")
    let databases = Atomic<Int>(0)
    /// The database with the product's schema and nothing else, once it exists.
    let template = Mutex<String?>(nil)

    /// The server that tests share.
    package static let shared = Result { try PostgreSQLServer() }

    /// Makes a cluster and starts it.
    ///
    /// - Parameters:
    ///   - settings: server settings in addition to the usual ones, `name=value`.
    ///   - port: the TCP port if the server listens for TCP connections; also the name of its socket.
    ///   - prepare: creates what the folder needs, possibly the `data` of another server instead of new data.
    package init(
        _ settings: [String] = [],
        port: Int = 5432,
        prepare: (_ folder: String) throws -> Void = { _ in }
    ) throws {
        try Self.removeAbandoned()
        (self.settings, self.port) = (settings, port)
        folder = "\(Self.place)/\(Self.prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try Self.run(["chown", "postgres", folder], asServer: false) }
        try prepare(folder)
        if !FileManager.default.fileExists(atPath: "\(folder)/data") {
            try Self.run([
                "\(Self.binaries)/initdb", "-D", "\(folder)/data", "-U", "latchkey", "-A", "trust", "-E", "UTF8",
                "--locale=C.UTF-8", "-N",
            ])
        }
        _ = FileManager.default.createFile(atPath: "\(folder)/log", contents: nil)
        try start()
        Self.all.withLock { $0.append(self) }
        Self.registerOnce
    }

    private static let registerOnce: Void = {
        atexit {
            for server in PostgreSQLServer.all.withLock({ $0 }) {
                try? server.stop("immediate")
                try? FileManager.default.removeItem(atPath: server.folder)
            }
        }
    }()
    private static let all = Mutex<[PostgreSQLServer]>([])

    /// Starts the server, again on the same data.
    package func start() throws {
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/log"))
        try log.seekToEnd()
        let started = Self.process(["\(Self.binaries)/postgres", "-D", "\(folder)/data"] + options)
        started.standardOutput = log
        started.standardError = log
        try started.start()
        process.withLock { $0 = started.processIdentifier }
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? psql(url(of: "postgres"), "SELECT 1")) == nil {
            guard ContinuousClock.now < deadline, started.isRunning else {
                throw Failed(description: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "no log")
            }
            usleep(10_000)
        }
    }

    /// Stops the server: `fast` as an operator does, `immediate` as a crash does.
    package func stop(_ mode: String = "fast") throws {
        let number = process.withLock { $0 }
        guard number > 0 else { return }
        kill(number, mode == "fast" ? SIGINT : SIGQUIT)
        try waitUntil("the server's end") { !Self.runs(number) }
        process.withLock { $0 = 0 }
    }

    /// Kills the server; its other processes end by themselves when they notice.
    package func crash() throws {
        let number = process.withLock { $0 }
        guard number > 0 else { return }
        kill(number, SIGKILL)
        // The resources that it shared with them must be free before it can start again.
        try waitUntil("the server's end") { !Self.runs(number) && !self.hasProcesses }
        process.withLock { $0 = 0 }
    }

    /// Whether any process runs in the data folder, as all processes of the server do.
    private var hasProcesses: Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            return place == "\(folder)/data"
        }
    }

    private func waitUntil(_ what: String, _ isSo: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !isSo() {
            guard ContinuousClock.now < deadline else { throw Failed(description: "waited in vain for \(what)") }
            usleep(10_000)
        }
    }

    /// Returns the URL of a database.
    package func url(of name: String) -> String {
        let host = folder.replacingOccurrences(of: "/", with: "%2F")
        return "postgresql://latchkey@\(host):\(port)/\(name)"
    }

    /// Runs SQL on a separate connection.
    ///
    /// - Returns: the rows of the last result, one line each, with `|` between the columns.
    @discardableResult
    package func psql(_ url: String, _ sql: String) throws -> String { try Connection(url).run(sql) }

    /// Returns what the server's log says about the last deadlock; an empty text if there was none.
    package func lastDeadlock() throws -> String {
        let log = try String(contentsOfFile: "\(folder)/log", encoding: .utf8)
        guard let found = log.range(of: "ERROR:  deadlock detected", options: .backwards) else { return "" }
        return String(log[found.lowerBound...].prefix(3000))
    }

    private var options: [String] {
        // Tests make connections and servers fail, not disks, so syncing makes no difference to them.
        let usual = [
            "listen_addresses=", "unix_socket_directories=\(folder)", "port=\(port)", "max_connections=1000",
            "fsync=off", "full_page_writes=off", "shared_buffers=64MB", "track_commit_timestamp=on",
            // Over the hundreds of databases of a run, its processes would start all the time.
            "autovacuum=off",
            // Before transactions give up waiting for a lock, because some tests count deadlocks.
            "deadlock_timeout=200ms",
        ]
        return (usual + settings).flatMap { ["-c", $0] }
    }

    // MARK: The machine

    /// The folder of the newest server's programs.
    package static let binaries: String = {
        let versions = "/usr/lib/postgresql", files = FileManager.default
        let numbers = ((try? files.contentsOfDirectory(atPath: versions)) ?? []).compactMap { Int($0) }
        let newest = numbers.filter { files.fileExists(atPath: "\(versions)/\($0)/bin/postgres") }.max()
        return "\(versions)/\(newest.map(String.init) ?? "*")/bin"
    }()
    private static let prefix = "latchkey-pg-"
    /// The parent folder of the files: in memory if there is enough, because a database is three hundred files, and
    /// each test has one.
    private static let place: String = {
        var space = statvfs()
        guard unsafe statvfs("/dev/shm", &space) == 0, space.f_bavail * space.f_bsize >= 2 << 30 else { return "/tmp" }
        return "/dev/shm"
    }()

    /// Stops and removes servers that killed test runs left behind.
    private static func removeAbandoned() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: place) where name.hasPrefix(prefix) {
            guard let owner = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }),
                kill(owner, 0) != 0, errno == ESRCH
            else { continue }
            let folder = "\(place)/\(name)"
            let lock = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
            if let server = lock?.split(separator: "\n").first.flatMap({ pid_t($0) }),
                let command = try? String(contentsOfFile: "/proc/\(server)/cmdline", encoding: .utf8),
                command.contains(folder)
            {
                kill(server, SIGQUIT)
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Whether a process is running; one that has ended may wait for its parent to notice.
    private static func runs(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return line.split(separator: ")").last?.hasPrefix(" Z") == false
    }

    /// Prepares a command, run as the servers' user, because servers refuse to run as root.
    static func process(_ command: [String], asServer: Bool = true) -> Process {
        let process = Process()
        let user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (asServer && getuid() == 0 ? user : []) + command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        return process
    }

    /// Runs a command until it ends, as the servers' user.
    package static func run(_ command: [String], asServer: Bool = true) throws {
        let process = process(command, asServer: asServer)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: bytes, as: UTF8.self)
            throw Failed(description: "\(command.joined(separator: " ")): \(text)")
        }
    }
}
