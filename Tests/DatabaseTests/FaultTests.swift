import DatabaseHarness
import Foundation
import Glibc
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Faults", .serialized)
struct FaultTests {
    /// Appends each acknowledged key to a file, unbuffered, and kills the process after some of them.
    private static func writeUntilKilled(url: String?, folder: String, round: Int) throws {
        let database = try Self.database(url, in: folder)
        let log = unsafe open("\(folder)/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let acknowledged = Acknowledged()
        for thread in 0..<8 {
            Thread {
                for number in 0... {
                    let key = "\(round)-\(thread)-\(number)"
                    let answers = Answers<Void>()
                    database.write(
                        { transaction in
                            try transaction.execute("INSERT INTO items (key) VALUES (\(key))")
                            try transaction.execute("INSERT INTO items (key) VALUES (\("\(key)-twin"))")
                        },
                        completion: { result in
                            if case .success = result {
                                let line = Array("\(key)\n".utf8)
                                _ = unsafe write(log, line, line.count)
                                if acknowledged.add() >= 300 + 37 * round { raise(SIGKILL) }
                            }
                            answers.completion(0)(result)
                        }
                    )
                    _ = answers.wait(for: 1)
                }
            }.start()
        }
        Thread.sleep(forTimeInterval: 60)
    }

    /// Opens a file in the folder, or the database of the URL.
    private static func database(_ url: String?, in folder: String) throws -> any Database {
        if let url {
            try PostgreSQLDatabase(PostgreSQLConfiguration(url: url), migrations: FreshPostgreSQL.schema)
        } else {
            try SQLiteDatabase(SQLiteConfiguration(path: "\(folder)/test.db"), migrations: Fresh.schema)
        }
    }

    @Test func `what was acknowledged survives kill -9`() async throws {
        let server = TestDatabase.Engine.current == .postgreSQL ? try PostgreSQLServer.shared.get() : nil
        let url = try server?.makeDatabase()
        defer { if let url { server?.removeDatabase(url) } }
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for round in 0..<(isFullDepth ? 20 : 3) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String?, folder = folder as String, round = round as Int] in
                try Self.writeUntilKilled(url: url, folder: folder, round: round)
            }
            let text = try String(contentsOfFile: "\(folder)/acknowledged", encoding: .utf8)
            let acknowledged = text.split(separator: "\n")
            #expect(acknowledged.count >= 300 * (round + 1))
            let database = try Self.database(url, in: folder)
            defer { database.close() }
            let keys = Set(try Items.keys(database))
            #expect(acknowledged.allSatisfy { keys.contains(String($0)) && keys.contains("\($0)-twin") })
            // No pair is incomplete.
            #expect(keys.allSatisfy { $0.hasSuffix("-twin") || keys.contains("\($0)-twin") })
            guard url == nil else { continue }
            let connection = try SQLiteConnection(path: "\(folder)/test.db", busyTimeout: 1000, cacheLimit: 1)
            #expect(try connection.value("PRAGMA integrity_check") == "ok")
            connection.close()
        }
    }

    @Test(.sqlite, arguments: [1, 2, 3])
    func `a full disk fails writes, loses nothing, and is over when space returns`(round: Int) async throws {
        let folder = try Fresh.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard unsafe mount("tmpfs", folder, "tmpfs", 0, "size=8m") == 0 else {
            try Test.cancel("needs root to mount a small file system")
        }
        defer { unsafe umount2(folder, Int32(MNT_DETACH)) }
        let ballast = "\(folder)/ballast"
        try Data(count: 6_000_000).write(to: URL(filePath: ballast))
        var configuration = SQLiteConfiguration(path: "\(folder)/test.db")
        let events = Events()
        configuration.onEvent = { events.add($0) }
        configuration.checkpoints.interval = 50
        let database = try SQLiteDatabase(configuration, migrations: Fresh.schema)
        defer { database.close() }

        let (written, failures) = try await fill(database, prefix: "a", count: 3000)
        #expect(!failures.isEmpty)
        #expect(failures.allSatisfy { $0 == .full })
        #expect(events.all.contains { if case .writeFailed(let error) = $0 { error.kind == .full } else { false } })
        // Reading still works, and finds what was acknowledged and nothing else.
        let keys = try database.readNow { try $0.all("SELECT key FROM items") { try $0.text(0) } }
        #expect(Set(keys) == written)

        // Recovery needs space for the log and for the same pages in the file.
        try FileManager.default.removeItem(atPath: ballast)
        let (more, stillFailing) = try await fill(database, prefix: "b", count: 50)
        #expect(more.count == 50, "\(stillFailing), \(events.all.suffix(3))")
        database.close()
        let connection = try SQLiteConnection(path: "\(folder)/test.db", busyTimeout: 1000, cacheLimit: 1)
        defer { connection.close() }
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
        #expect(try connection.value("SELECT count(*) FROM items") == "\(written.count + 50)")
    }

    /// Writes rows from 16 tasks, and returns the acknowledged keys and the kinds of failures.
    private func fill(
        _ database: SQLiteDatabase,
        prefix: String,
        count: Int
    ) async throws -> (written: Set<String>, failures: [DatabaseError.Kind]) {
        try await withThrowingTaskGroup(of: (Set<String>, [DatabaseError.Kind]).self) { group in
            for task in 0..<16 {
                group.addTask {
                    var written: Set<String> = []
                    var failures: [DatabaseError.Kind] = []
                    for number in stride(from: task, to: count, by: 16) {
                        let key = "\(prefix)-\(number)"
                        do {
                            let note = String(repeating: "n", count: 700)
                            try await database.write {
                                try $0.execute("INSERT INTO items (key, note) VALUES (\(key), \(note))")
                            }
                            written.insert(key)
                        } catch let error as DatabaseError {
                            failures.append(error.kind)
                        }
                    }
                    return (written, failures)
                }
            }
            return try await group.reduce(into: (Set<String>(), [DatabaseError.Kind]())) {
                $0.0.formUnion($1.0)
                $0.1 += $1.1
            }
        }
    }
}
