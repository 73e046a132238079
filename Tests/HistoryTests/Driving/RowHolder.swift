import Accounts
import Database
import Foundation
import Synchronization
import Tokens

/// Locks rows for moments, as an operator with `psql` does.
///
/// They are mostly rows that a race is about, otherwise random new ones. If a race says what is locked
/// (``OperationMix/Rivals/lock``), it is that, and for longer.
final class RowHolder: Sendable {
    private let database: any Database
    private let isStopped = Atomic(false)
    private let numbers: Mutex<SeededNumbers>
    /// The rows that the race is about, each as what follows FROM in a query.
    private let contested: [SQL]
    /// The statement that locks what the race says; `nil` if it says nothing.
    private let lock: SQL?

    private static let tables = ["users", "sessions", "tickets", "action_codes", "limits"]
    private static let modes: [SQL] = ["FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE"]

    init(_ database: any Database, seed: UInt64, _ place: Int, _ focus: Focus?, _ lock: OperationMix.HeldLock?) {
        self.database = database
        numbers = Mutex(SeededNumbers(seed, -5000 - place))
        contested = focus.map(Self.rows) ?? []
        self.lock =
            switch lock {
            case .table(let table): "LOCK TABLE \(table)"
            case .ticket: focus?.ticket.map { "SELECT 1 FROM tickets WHERE ticket = \($0.ticket.id) FOR UPDATE" }
            case nil: nil
            }
    }

    private static func rows(of focus: Focus) -> [SQL] {
        var rows: [SQL] = ["users WHERE email = \(focus.email)"]
        if let uid = focus.uid { rows += ["users WHERE uid = \(uid)", "sessions WHERE uid = \(uid) LIMIT 1"] }
        if let ticket = focus.ticket {
            let (id, code) = (ticket.ticket.id, ticket.link.id.text)
            rows += ["tickets WHERE ticket = \(id)", "action_codes WHERE code = \(code)"]
        }
        if let code = focus.code { rows.append("action_codes WHERE code = \(code.id.text)") }
        return rows
    }

    private static func newRow(_ numbers: inout SeededNumbers) -> SQL {
        let place = Int.random(in: 0..<12, using: &numbers)
        let table = numbers.pick(tables) ?? "users"
        // A query with OFFSET would lock the rows before it, too.
        return """
            \(identifier: table) WHERE id = (SELECT id FROM \(identifier: table) ORDER BY id DESC LIMIT 1 OFFSET \(place))
            """
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func run() async {
        while !isStopped.load(ordering: .relaxed), !Task.isCancelled {
            if let lock {
                await hold(lock)
                continue
            }
            let (row, mode, pause) = numbers.withLock { numbers in
                (
                    numbers.chance(80) ? numbers.pick(contested) ?? Self.newRow(&numbers) : Self.newRow(&numbers),
                    numbers.pick(Self.modes) ?? "FOR UPDATE", UInt32.random(in: 1000...20_000, using: &numbers)
                )
            }
            // One row at a time, so that this connection is part of no deadlock.
            _ = try? await database.write(kind: "holder", isolation: .readCommitted) { transaction in
                if try transaction.first("SELECT 1 FROM \(row) \(mode)", { _ in true }) != nil { usleep(pause) }
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func hold(_ lock: SQL) async {
        let pause = numbers.withLock { UInt32.random(in: 20_000...60_000, using: &$0) }
        _ = try? await database.write(kind: "holder", isolation: .readCommitted) { transaction in
            try transaction.execute(lock)
            usleep(pause)
        }
        try? await Task.sleep(for: .milliseconds(5))
    }
}
