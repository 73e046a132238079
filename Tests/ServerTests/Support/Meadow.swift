import AccountDatabase
import Accounts
import Database
import Foundation
import PostgreSQLHarness
import Synchronization
import Testing
import Tokens

@testable import Server

/// A database of users with a clock that a test advances, and the sweeper.
final class Meadow: Sendable {
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    let folder: String
    let database: any Database
    private let test: TestDatabase
    let flows: AccountFlows
    private let clock: Clock
    /// Every UID that was ever created.
    private let created = Mutex<Set<String>>([])

    private final class Clock: Sendable {
        let now = Mutex<Int64>(1_900_000_000_000)
    }

    init(statementTimeout: Int = 10_000) throws {
        folder = NSTemporaryDirectory() + "latchkey-meadow-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let clock = Clock()
        self.clock = clock
        test = try TestDatabase(in: folder)
        database = try Self.open(test, clock, statementTimeout: statementTimeout)
        flows = AccountFlows(policy: Policy(), secrets: try ServerSecrets(text: TestServer.secret))
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func open(_ test: TestDatabase, _ clock: Clock, statementTimeout: Int = 10_000) throws
        -> any Database
    {
        try test.open(statementTimeout: statementTimeout, clock: { clock.now.withLock { $0 } })
    }

    /// Opens the same database as another process would.
    func openAgain() throws -> any Database { try Self.open(test, clock) }

    func advance(_ milliseconds: Int64) { clock.now.withLock { $0 += milliseconds } }

    // MARK: Users

    /// Signs guests up, a moment after the last change.
    func guests(_ uids: [String]) async throws {
        advance(1)
        created.withLock { $0.formUnion(uids) }
        try await database.write { [flows] transaction in
            for uid in uids {
                let signUp = GuestSignUp(ids: GuestIDs(uid: uid, sid: "sid-\(uid)"), rotates: true)
                _ = try flows.signUpAnonymously(signUp, in: transaction)
            }
        }
    }

    /// Makes a user who was never a guest, as an administrator does.
    func permanent(_ uid: String) async throws {
        created.withLock { _ = $0.insert(uid) }
        try await database.write { try $0.insert(User(uid: uid, createdAt: $0.now)) }
    }

    /// Proves an address for a guest.
    func link(_ uid: String) async throws {
        try await database.write { transaction in
            var user = try #require(try transaction.user(uid))
            user.prove("\(uid)@example.com", at: transaction.now)
            try transaction.update(user)
        }
    }

    /// Makes a ticket for a guest, valid for 15 minutes.
    func ask(_ uid: String, _ mail: TicketMailState = .sent, ended: Bool = false) async throws {
        let id = try TokenID.random().text
        try await database.write { transaction in
            let ticket = Ticket(
                id: id,
                keyID: 1,
                email: "\(uid)@example.com",
                mailState: mail,
                asking: AskingDevice(sid: nil, uid: uid, client: "c", name: "n", place: nil, locale: "en"),
                continueURL: nil,
                createdAt: transaction.now,
                expiresAt: transaction.now + 15 * 60_000
            )
            try transaction.insert(ticket)
            guard ended else { return }
            var over = ticket
            over.state = .ended
            _ = try transaction.update(over, from: .open)
        }
    }

    /// Runs statements of the operator.
    func run(_ statements: SQL...) async throws {
        try await database.write { transaction in
            for statement in statements { try transaction.execute(statement) }
        }
    }

    func count(_ condition: SQL) throws -> Int64 {
        try database.readNow { try $0.first("SELECT count(*) FROM " + condition) { try $0.integer(0) } ?? -1 }
    }

    // MARK: Clean-up

    func turn(_ isOn: Bool, days: Int64? = nil, since: CleanupSetting.Start? = nil) async throws {
        var change = CleanupChange()
        change.isOn = isOn
        change.days = days
        change.since = since
        try await database.write { [flows, change] in _ = try flows.change(change, in: $0) }
    }

    func sweeper(_ name: String = "a", on database: (any Database)? = nil) -> Sweeper {
        Sweeper(database: database ?? self.database, flows: flows, worker: name)
    }

    /// Sweeps, and returns the deleted UIDs sorted by name, because those of one batch have no order.
    func sweep() async throws -> (gone: [String], totals: Sweeper.Totals) {
        let gone = Lines()
        let totals = try await sweeper().sweep { uids in for uid in uids { gone.add(uid) } }
        try checkUIDs()
        return (gone.all.sorted(), try #require(totals))
    }

    func preview() throws -> CleanupPreview {
        try database.readNow { try CleanupState(flows, in: $0).preview }
    }

    /// Returns the existing users.
    func living() throws -> [String] {
        try database.readNow { try $0.all("SELECT uid FROM users ORDER BY uid") { try $0.text(0) } }
    }

    /// Expects that every UID that was ever created is a user or a former user, and never both (invariant 4).
    func checkUIDs() throws {
        let (present, former) = try database.readNow { transaction in
            (
                try transaction.all("SELECT uid FROM users") { try $0.text(0) },
                try transaction.all("SELECT uid FROM former_users") { try $0.text(0) }
            )
        }
        let everybody = created.withLock { $0 }
        #expect(Set(present).isDisjoint(with: former))
        #expect(Set(present).union(former) == everybody)
    }
}
