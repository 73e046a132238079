import Database
import Foundation
import Synchronization

/// Locks random rows for moments, as an operator with `psql` does.
final class RowHolder: Sendable {
    private let database: any Database
    private let isStopped = Atomic(false)
    private let numbers: Mutex<SeededNumbers>

    private static let tables = ["users", "sessions", "tickets", "action_codes", "limits"]
    private static let modes: [SQL] = ["FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE"]

    init(_ database: any Database, seed: UInt64, _ place: Int) {
        self.database = database
        numbers = Mutex(SeededNumbers(seed, -5000 - place))
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func run() async {
        while !isStopped.load(ordering: .relaxed), !Task.isCancelled {
            let (table, mode, pause, place) = numbers.withLock { numbers in
                (
                    numbers.pick(Self.tables) ?? "users", numbers.pick(Self.modes) ?? "FOR UPDATE",
                    UInt32.random(in: 1000...20_000, using: &numbers), Int.random(in: 0..<12, using: &numbers)
                )
            }
            // One row at a time, so that this connection is part of no deadlock.
            _ = try? await database.write(kind: "holder", isolation: .readCommitted) { transaction in
                let id = try transaction.first(
                    "SELECT id FROM \(identifier: table) ORDER BY id DESC LIMIT 1 OFFSET \(place)"
                ) { try $0.integer(0) }
                guard let id else { return }
                _ = try transaction.first("SELECT 1 FROM \(identifier: table) WHERE id = \(id) \(mode)") { _ in }
                usleep(pause)
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
