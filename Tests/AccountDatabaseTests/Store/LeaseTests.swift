import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Synchronization
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Leases", .enabled(if: TestDatabase.isEnginesTurn))
struct LeaseTests {
    /// A database with the program's schema, and a clock that the test advances.
    private final class Scene: Sendable {
        let database: any Database
        private let clock: Clock
        private let finish: @Sendable () -> Void

        private final class Clock: Sendable {
            let now = Mutex(moment)
        }

        init(_ engine: TestDatabase.Engine) throws {
            let clock = Clock()
            self.clock = clock
            switch engine {
            case .sqlite:
                let fresh = try Fresh(migrations: Migration.embedded()) { $0.clock = { clock.now.withLock { $0 } } }
                database = fresh.database
                finish = fresh.remove
            case .postgreSQL:
                let fresh = try FreshPostgreSQL(migrations: Migration.embedded()) {
                    $0.clock = { clock.now.withLock { $0 } }
                }
                database = fresh.database
                finish = fresh.remove
            }
        }

        deinit { finish() }

        func advance(_ milliseconds: Int64) { clock.now.withLock { $0 += milliseconds } }

        /// Leases e-mails that the released version queued.
        func lease(_ worker: String, limit: Int = 9, takingOver: Bool = true) async throws -> [Int64] {
            try await database.lease {
                try $0.leaseMails(.notice, limit: limit, worker: worker, milliseconds: 1000, takingOver: takingOver)
                    .map(\.id)
            }
        }

        func renew(_ ids: [Int64], _ worker: String) async throws -> [Int64] {
            try await database.lease { try $0.renewMails(ids, worker: worker, milliseconds: 1000) }
        }

        func queue(_ count: Int) async throws {
            try await database.write { transaction in
                for number in 0..<count {
                    try transaction.execute(
                        """
                        INSERT INTO outbox (mail, kind, state, payload, attempts, due_at, created_at)
                        VALUES (\("mail-\(number)"), 'sign-in', 'queued', 'p', 0, \(transaction.now), 0)
                        """
                    )
                }
            }
        }
    }

    static let engines: [TestDatabase.Engine] = [.sqlite, .postgreSQL]

    @Test(arguments: engines)
    func `one worker at a time does what is done for all, until it says nothing or lets the next one in`(
        engine: TestDatabase.Engine
    ) async throws {
        let scene = try Scene(engine)
        func take(_ worker: String, _ work: SharedWork = .cleanUp) async throws -> Bool {
            try await scene.database.write { try $0.takeLease(work, worker: worker, for: 1000) }
        }
        func isFree(_ worker: String) async throws -> Bool {
            try await scene.database.read { try $0.isLeaseFree(.cleanUp, for: worker) }
        }
        #expect(try await isFree("a"))
        #expect(try await take("a"))
        #expect(try await !take("b"))
        #expect(try await take("b", .purge), "other work is another matter")
        #expect(try await isFree("a"))
        #expect(try await !isFree("b"))
        scene.advance(900)
        #expect(try await take("a"))
        scene.advance(999)
        #expect(try await !take("b"))
        scene.advance(1)
        #expect(try await isFree("b"))
        #expect(try await take("b"))
        #expect(try await !take("a"), "who was gone for too long has lost it")
        try await scene.database.write { try $0.endLease(.cleanUp, worker: "a") }
        #expect(try await !take("a"), "and cannot give it away")
        try await scene.database.write { try $0.endLease(.cleanUp, worker: "b") }
        #expect(try await take("a"))
    }

    @Test(arguments: engines)
    func `who goes on with a work goes on from where the last one came to`(engine: TestDatabase.Engine) async throws {
        let scene = try Scene(engine)
        func position() async throws -> Int64 { try await scene.database.read { try $0.position(of: .purge) } }
        #expect(try await position() == 0)
        _ = try await scene.database.write { try $0.takeLease(.purge, worker: "a", for: 1000) }
        try await scene.database.write { try $0.recordPosition(7, of: .purge, worker: "a") }
        scene.advance(1000)
        _ = try await scene.database.write { try $0.takeLease(.purge, worker: "b", for: 1000) }
        try await scene.database.write { try $0.recordPosition(9, of: .purge, worker: "a") }
        #expect(try await position() == 7, "only its holder says how far it has come")
    }

    @Test(arguments: engines)
    func `a mail stays with the worker that renews its lease, and goes to another when that stops`(
        engine: TestDatabase.Engine
    ) async throws {
        let scene = try Scene(engine)
        try await scene.queue(2)
        let mails = try await scene.lease("a")
        #expect(mails.count == 2)
        scene.advance(900)
        #expect(try await scene.renew([mails[0]], "a") == [mails[0]])
        scene.advance(900)
        #expect(try await scene.lease("b", takingOver: false).isEmpty, "what somebody left is not simply due")
        #expect(try await scene.lease("b") == [mails[1]])
        #expect(try await scene.renew(mails, "a") == [mails[0]])
        scene.advance(1000)
        #expect(try await scene.renew(mails, "a") == [mails[0]], "nobody came meanwhile")
        try await scene.database.write { transaction in
            try transaction.postponeMail(mails[1], worker: "a", by: 60_000, isCounted: true, reason: "not mine")
            _ = try transaction.finishMail(mails[1], worker: "a", as: .failed, reason: "not mine")
            try transaction.postponeMail(mails[0], worker: "a", by: 0, isCounted: false, reason: nil)
        }
        #expect(try await scene.lease("c", takingOver: false) == [mails[0]], "what was given back is free")
        #expect(try await scene.renew(mails, "a").isEmpty)
        #expect(try await scene.renew(mails, "b") == [mails[1]])
    }

    @Test(arguments: engines)
    func `a message to a hook stays with the worker that renews its lease, too`(
        engine: TestDatabase.Engine
    ) async throws {
        let scene = try Scene(engine)
        try await scene.database.write { transaction in
            for id in ["m1", "m2"] {
                try transaction.queue(HookMessage(id: id, event: .userCreated, hook: "app", merge: nil, payload: "{}"))
            }
        }
        func lease(_ worker: String, takingOver: Bool = true) async throws -> [Int64] {
            try await scene.database.lease {
                try $0.leaseMessages(
                    to: "app",
                    limit: 9,
                    worker: worker,
                    milliseconds: 1000,
                    takingOver: takingOver
                ).map(\.row)
            }
        }
        func renew(_ rows: [Int64], _ worker: String) async throws -> [Int64] {
            try await scene.database.lease { try $0.renewMessages(rows, worker: worker, milliseconds: 1000) }
        }
        let rows = try await lease("a")
        scene.advance(900)
        #expect(try await renew([rows[0]], "a") == [rows[0]])
        scene.advance(900)
        #expect(try await lease("b", takingOver: false).isEmpty)
        #expect(try await lease("b") == [rows[1]])
        #expect(try await renew(rows, "a") == [rows[0]])
        try await scene.database.write { try $0.finishMessage(rows[1], worker: "a", as: .delivered, reason: nil) }
        #expect(try await renew(rows, "b") == [rows[1]], "only its holder settles it")
    }

    @Test(arguments: engines)
    func `many workers at once take each mail once`(engine: TestDatabase.Engine) async throws {
        let scene = try Scene(engine)
        try await scene.queue(400)
        let taken = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var taken: [Int64] = []
                    // Another worker may be leasing the last ones.
                    for _ in 0..<100 { taken += try await scene.lease("w\(worker)", limit: 7) }
                    return taken
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.count == 400 && Set(taken).count == 400)
    }
}
