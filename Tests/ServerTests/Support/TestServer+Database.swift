import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Synchronization

extension TestServer {
    /// Looks into the server's database, or changes it behind the server's back, as another process would.
    @discardableResult
    func withDatabase<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Result
    ) throws -> Result {
        try elsewhere { try $0.database.writeNow(body) }
    }

    /// Works on the database as another process would, of which the server learns from the database alone.
    func elsewhere<Result>(_ body: (Store) throws -> Result) throws -> Result { try body(neighbour.open(self)) }

    /// Waits until it is written down what became of all mails, and nothing more comes of them.
    func settleMails() throws {
        try elsewhere { store in
            try eventually("the mails are settled") {
                try store.database.readNow { try $0.waitingPayloads().isEmpty }
            }
        }
    }

    /// What an operator does, in a process of their own.
    func withOperator(_ body: (Operator) throws -> Void) throws {
        let desk = try Operator(file: file, environment: environment)
        defer { desk.close() }
        try body(desk)
    }

    /// The bytes of the files in which the database is.
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

    /// Everything that the database holds, a line for each row, but for the mails, once they have left, what renews itself, and
    /// what is stored after the answer.
    func dump() throws -> [String] {
        try eventually("all mails have left") {
            try withDatabase { try $0.first("SELECT 1 FROM outbox WHERE state = 'queued'") { _ in true } ?? false }
                == false
        }
        return try withDatabase { try $0.dump(without: ["outbox", "settings", "leases", "known_clients"]) }
    }

    /// What calls of users change: users, their identities, sessions and codes, and the number of mails.
    ///
    /// Housekeeping changes none of it while sessions and codes are young.
    func accountState() throws -> [String] {
        let tables = ["users|", "identities|", "sessions|", "action_codes|"]
        let rows = try dump().filter { row in tables.contains { row.hasPrefix($0) } }
        let mails = try messages().count
        return rows + ["\(mails) mails"]
    }
}

/// The database of a test server as another process has it, opened when it is first needed.
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
