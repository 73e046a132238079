import AccountDatabase
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Synchronization
import Testing

extension TestServer {
    /// Reads or changes the server's database without the server's knowledge, as another process would.
    @discardableResult
    func withDatabase<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Result
    ) throws -> Result {
        try elsewhere { try $0.database.writeNow(body) }
    }

    /// Works on the database as another process would; the server only learns of it from the database.
    func elsewhere<Result>(_ body: (Store) throws -> Result) throws -> Result { try body(neighbour.open(self)) }

    /// Waits until the outcome of every e-mail is recorded, and no further work follows from them.
    func waitUntilMailsAreFinished(at location: SourceLocation = #_sourceLocation) throws {
        try elsewhere { store in
            try eventually("the e-mails are finished", at: location) {
                try store.database.readNow { try $0.waitingPayloads().isEmpty }
            }
        }
    }

    /// Waits until this node has stored its counts for the other nodes, which it does every second on PostgreSQL.
    func storeCounts() throws {
        guard !TestDatabase.isFile else { return }
        try eventually("the counts are stored") {
            statements.clear()
            var patience = 2000
            // With nothing new to store, the node only reads the sums, at most two at a time.
            while !statements.contains("INTO limits"), patience > 0,
                statements.all.count(where: { $0.contains("SELECT used FROM limits") }) < 3
            {
                usleep(10_000)
                patience -= 1
            }
            return !statements.contains("INTO limits")
        }
    }

    /// Acts as an operator in another process would.
    func withOperator(_ body: (Operator) throws -> Void) throws {
        let desk = try Operator(file: file, environment: environment)
        defer { desk.close() }
        try body(desk)
    }

    /// Returns the bytes of the database's files.
    func bytesAtRest() throws -> [UInt8] {
        let files: [String]
        if TestDatabase.isFile {
            files = ["latchkey.db", "latchkey.db-wal"].map { "\(folder.path)/\($0)" }
        } else {
            let place = try withDatabase { transaction in
                try transaction.execute("CHECKPOINT")
                return try transaction.first(
                    """
                    SELECT current_setting('data_directory') || '/base/' || CAST(oid AS TEXT)
                    FROM pg_database WHERE datname = current_database()
                    """
                ) { try $0.text(0) } ?? ""
            }
            files = try FileManager.default.contentsOfDirectory(atPath: place).map { "\(place)/\($0)" }
        }
        return files.reduce(into: []) { $0 += FileManager.default.contents(atPath: $1).map { [UInt8]($0) } ?? [] }
    }

    /// Returns the content of the database, one line for each row, once all e-mails have been sent.
    ///
    /// Leaves out e-mails, data that renews itself, and data that is stored after the answer, such as what nodes on
    /// PostgreSQL exchange once a second (`InstallationMeter`).
    func dump() throws -> [String] {
        try eventually("all mails have left") {
            try withDatabase { try $0.first("SELECT 1 FROM outbox WHERE state = 'queued'") { _ in true } ?? false }
                == false
        }
        return try withDatabase {
            try $0.dump(without: ["outbox", "settings", "leases", "known_clients", "mail_trace"])
        }
        .filter { !$0.hasPrefix("limits|") || !$0.contains("installation:") }
    }

    /// Returns the data that users' calls change: users, their identities, sessions and codes, and the number of
    /// e-mails.
    ///
    /// Housekeeping does not change it while sessions and codes are young.
    func accountState() throws -> [String] {
        let tables = ["users|", "identities|", "sessions|", "action_codes|"]
        let rows = try dump().filter { row in tables.contains { row.hasPrefix($0) } }
        let mails = try messages().count
        return rows + ["\(mails) mails"]
    }
}

/// The database of a test server as another process sees it, opened on first use.
final class Neighbour: Sendable {
    private let store = Mutex<Store?>(nil)

    func open(_ server: TestServer) throws -> Store {
        try store.withLock { store in
            if let store { return store }
            let opened = try server.openStore()
            store = opened
            return opened
        }
    }

    func close() { store.withLock { $0.take() }?.database.close() }
}
