import Database
import PostgreSQLHarness

/// Runs operations on two nodes, and checks that the history could be that of one database.
struct Checker {
    /// What a run has shown.
    struct Findings: Sendable {
        /// What is wrong; empty if nothing was found.
        var faults: [String] = []
        var operations = 0
        /// The number of operations that were seen to wait for another.
        var waiting = 0
        /// The number of operations that shared a transaction with others.
        var sharing = 0
        /// The number of operations that got 503.
        var unknown = 0
        /// The number of operations that the search for an order ran.
        var steps = 0
        /// The number of answers and of refusals for each kind of operation.
        var outcomes: [String: (answered: Int, refused: Int)] = [:]

        mutating func add(_ entries: [Entry]) {
            operations += entries.count
            for entry in entries {
                if entry.hasWaited { waiting += 1 }
                if entry.isShared { sharing += 1 }
                switch entry.outcome {
                case .answered: outcomes[entry.operation.name, default: (0, 0)].answered += 1
                case .refused: outcomes[entry.operation.name, default: (0, 0)].refused += 1
                case .unknown: unknown += 1
                case .failed(let error):
                    faults.append("\(entry.number) \(entry.operation.name) failed: \(error)")
                }
            }
        }
    }

    /// The number of operations between two checks, outside of the races that share transactions.
    static let pieceLength = 8
    /// The number of operations after which a new database is used, so that tables stay small.
    static let worldLength = 288

    let seed: UInt64
    var omitted: Set<String> = []
    var versions: World.Versions = .current

    /// Runs operations until something is found.
    ///
    /// - Parameter total: the number of operations.
    func run(_ total: Int) async throws -> Findings {
        var findings = Findings()
        // The first world has the checker's own seed, so that the seed of a report repeats its world.
        var worldSeed = seed, laterSeeds = SeededNumbers(seed, -6000)
        while findings.operations < total, findings.faults.isEmpty {
            try await runWorld(worldSeed, min(Self.worldLength, total - findings.operations), &findings)
            worldSeed = laterSeeds.next()
        }
        return findings
    }

    private func runWorld(_ seed: UInt64, _ length: Int, _ findings: inout Findings) async throws {
        let world = try World(seed: seed, without: omitted, versions: versions)
        defer { world.close() }
        let contents = try world.model.database.readNow { try Contents($0) }
        var invariants = Invariants(world.policy)
        var numbers = SeededNumbers(seed, -7000)
        var end = 0
        while end < length {
            let begin = end
            end = min(begin + world.pieceLength(at: begin), length)
            world.clock.advance(Self.jump(&numbers))
            let entries = try await world.run(begin..<end)
            findings.add(entries)
            let (broken, after) = try world.observer.readNow { transaction in
                (try invariants.broken(by: entries, transaction), try contents.lines(transaction))
            }
            findings.faults += broken.map { ([$0] + Self.timeline(of: entries)).joined(separator: "\n") }
            // Only the locks of the current version keep the order of time, too.
            let replayed = versions == .current ? entries : Replay.ofUpgrade(entries)
            switch try await Replay.run(replayed, on: world.model, contents, after: after) {
            case .fits(let steps): findings.steps += steps
            case .contradicts(let report, let isExhausted):
                let search = isExhausted ? "no order fits" : "no order was found"
                findings.faults.append(([search + ":"] + report + Self.timeline(of: entries)).joined(separator: "\n"))
            }
            guard findings.faults.isEmpty else {
                findings.faults = findings.faults.map { "seed \(seed), operations from \(begin): \($0)" }
                return
            }
        }
        // A node of the version before locks nothing in order. Its deadlocks are what that version had.
        guard versions == .current else { return }
        let deadlocks = try world.observer.readNow { transaction in
            try transaction.first("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") {
                try $0.integer(0)
            }
        }
        if let deadlocks, deadlocks > 0 {
            findings.faults.append(
                "seed \(seed): \(deadlocks) deadlocks\n\(try PostgreSQLServer.shared.get().lastDeadlock())"
            )
        }
    }

    /// Returns a line for each operation, with milliseconds since the first began.
    private static func timeline(of entries: [Entry]) -> [String] {
        let entries = entries.sorted { $0.began < $1.began }
        func time(_ instant: ContinuousClock.Instant) -> Int64 {
            entries.first.map { (instant - $0.began) / .milliseconds(1) }.map { Int64($0) } ?? 0
        }
        let commits = entries.compactMap(\.committedAt).sorted()
        return ["all operations, with the places of their commits:"]
            + entries.map { entry in
                let place = entry.committedAt.flatMap { commits.firstIndex(of: $0) }.map { "\($0)" } ?? "-"
                let times = "\(time(entry.began)) to \(time(entry.ended)) ms"
                return "  \(entry.number) \(entry.operation.name), \(times), \(place): \(entry.outcome)".prefix(600)
                    .description
            }
    }

    /// Returns how much time passes between two pieces, in milliseconds: mostly little, sometimes more than links or
    /// guests live.
    private static func jump(_ numbers: inout SeededNumbers) -> Int64 {
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0: 26 * 3_600_000
        case 1: 11 * 60_000
        case 2, 3: 70_000
        default: 1000
        }
    }
}
