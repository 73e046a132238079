@testable import Database

/// Searches an order in which the operations, run one by one, give the same answers and leave the same content.
///
/// The order of the commits is tried first. Only operations that overlapped may swap places. An operation of which
/// nothing was kept, and one that only reads, must fit somewhere between its beginning and its end.
struct Replay {
    /// The result of a search.
    enum Verdict: Sendable {
        case fits(steps: Int)
        /// - Parameters:
        ///   - report: where the best order ended.
        ///   - isExhausted: whether every order was tried.
        case contradicts(report: [String], isExhausted: Bool)
    }

    private let model: Node
    private let engine: any TransactionEngine
    private let contents: Contents
    /// The server's content after the operations.
    private let after: [String]
    private var steps = 0
    /// The operations that changed something, in an order that fits, each with the time of its transaction.
    private var order: Placed.Order = []
    private var best = (depth: -1, report: [String]())
    /// The number of steps after which the search gives up.
    private var mostSteps = 2000
    /// The states that the search has visited, each as the remaining operations and the content; `nil` during the first
    /// search, which keeps none.
    private var visited: Set<[String]>?

    private init(_ model: Node, _ engine: any TransactionEngine, _ contents: Contents, after: [String]) {
        self.model = model
        self.engine = engine
        self.contents = contents
        self.after = after
    }

    /// Replays operations on the model's database, which is in the state before them, and leaves it in the state after.
    static func run(_ entries: [Entry], on model: Node, _ contents: Contents, after: [String]) async throws -> Verdict {
        try await model.database.write(kind: "replay", alone: true) { transaction in
            var replay = Replay(model, transaction.engine, contents, after: after)
            let committed = entries.filter { $0.committedAt != nil }.sorted {
                ($0.committedAt ?? 0, $0.ended) < ($1.committedAt ?? 0, $1.ended)
            }
            let floating = entries.filter { $0.committedAt == nil && $0.text != nil }
            guard try replay.search(Open(committed: committed, floating: floating)) else {
                return .contradicts(report: replay.best.report, isExhausted: replay.steps < replay.mostSteps)
            }
            for (operation, now) in replay.order {
                _ = try operation.run(model.services, Transaction(transaction.engine, now: now))
            }
            return .fits(steps: replay.steps)
        }
    }

    /// Returns the operations of nodes of which one is older as if each had begun with the earliest operation that it
    /// overlapped, without the refusals of the older node.
    ///
    /// Serializable transactions of PostgreSQL have an order, but not that of time. If one overlaps two others that follow
    /// each other in time, it may come after the second and before the first in that order.
    static func ofUpgrade(_ entries: [Entry]) -> [Entry] {
        let judged = entries.filter { !$0.isRefused || !$0.isOlder }
        return judged.map { entry in
            var entry = entry
            let overlapped = entries.filter { $0.began <= entry.ended && $0.ended >= entry.began }
            entry.began = overlapped.map(\.began).min() ?? entry.began
            return entry
        }
    }

    /// The operations that have a place, in their order.
    private struct Placed {
        typealias Order = [(operation: Operation, now: Int64)]

        var entries: [Entry] = []
        var order: Order = []
    }

    /// The operations that have no place yet.
    private struct Open {
        /// Operations that changed something, in the order of their commits.
        var committed: [Entry]
        var floating: [Entry]

        /// Whether no operation without a place had ended when this one began.
        func mayBeNext(_ entry: Entry) -> Bool { committed.allSatisfy { $0.ended >= entry.began } }
    }

    private mutating func search(_ open: Open) throws -> Bool {
        if try search(open, Placed()) { return true }
        guard steps >= mostSteps else { return false }
        // Many operations overlapped, and most of their orders lead to the same content. To notice that takes reading all
        // tables after each operation.
        visited = []
        mostSteps += 20_000
        return try search(open, Placed())
    }

    private mutating func search(_ open: Open, _ placed: Placed) throws -> Bool {
        var open = open
        open.floating = try open.floating.filter { entry in
            guard open.mayBeNext(entry) else { return true }
            return try text(of: entry) != entry.text
        }
        guard !open.committed.isEmpty else {
            if let entry = open.floating.first {
                try note(placed, entry, "has no place")
                return false
            }
            let content = Contents.withoutReturned(after, try contents.lines(Transaction(engine, now: 0)))
            if content.server == content.model {
                order = placed.order
                return true
            }
            note(placed, ["the contents differ:"] + Contents.differences(content.server, content.model))
            return false
        }
        if visited != nil {
            let state = (open.committed + open.floating).map { "\($0.number)" }
            let content = try contents.lines(Transaction(engine, now: 0))
            guard visited?.insert(state + content).inserted == true else { return false }
        }
        for place in open.committed.indices {
            let entry = open.committed[place]
            guard open.mayBeNext(entry) else { continue }
            if let late = open.floating.first(where: { $0.ended < entry.began }) {
                try note(placed, late, "has no place")
                continue
            }
            guard steps < mostSteps else { return false }
            var rest = open
            rest.committed.remove(at: place)
            if try goOn(with: entry, rest, placed) { return true }
        }
        return false
    }

    /// Runs an operation in a savepoint, and goes on with the others if its answer is the same.
    private mutating func goOn(with entry: Entry, _ rest: Open, _ placed: Placed) throws -> Bool {
        try engine.setSavepoint()
        let (answer, operation) = try run(entry)
        var found = false
        if entry.text == nil || answer == entry.text {
            var placed = placed
            placed.entries.append(entry)
            placed.order.append((operation, entry.now))
            found = try search(rest, placed)
        } else {
            note(placed, Self.mismatch(entry, answer))
        }
        try engine.rollBackToSavepoint()
        return found
    }

    /// Returns the answer of an operation now, which changes nothing.
    private mutating func text(of entry: Entry) throws -> String {
        try engine.setSavepoint()
        let (answer, _) = try run(entry)
        try engine.rollBackToSavepoint()
        return answer
    }

    /// Runs an operation in an open savepoint.
    ///
    /// - Returns: the answer, and the operation that gave it: another one if the first violated a constraint.
    private mutating func run(_ entry: Entry) throws -> (answer: String, operation: Operation) {
        steps += 1
        var operation = entry.operation
        var result = self.result(of: operation, at: entry.now)
        if case .failure(let error as DatabaseError) = result, case .constraint = error.kind {
            do {
                if let second = try operation.second(model.services) {
                    try engine.rollBackToSavepoint()
                    try engine.setSavepoint()
                    operation = second
                    result = self.result(of: second, at: entry.now)
                }
            } catch {
                result = .failure(error)
            }
        }
        let answer =
            switch Entry.Outcome(result) {
            case .answered(let answer): "answered \(answer.text)"
            case .refused(let refusal): "refused \(refusal)"
            case .unknown(let error), .failed(let error): "failed \(error)"
            }
        return (answer, operation)
    }

    private func result(of operation: Operation, at now: Int64) -> Result<Answer, any Error> {
        Result { try operation.run(model.services, Transaction(engine, now: now)) }
    }

    // MARK: Reports

    private mutating func note(_ placed: Placed, _ entry: Entry, _ what: String) throws {
        guard placed.entries.count > best.depth else { return }
        note(placed, ["\(entry.number) \(entry.operation.name) \(what):"] + Self.mismatch(entry, try text(of: entry)))
    }

    private mutating func note(_ placed: Placed, _ report: [String]) {
        guard placed.entries.count > best.depth else { return }
        let before = placed.entries.suffix(12).map {
            "  after \($0.number) \($0.operation.name): \($0.text ?? "?")".prefix(400)
        }
        best = (placed.entries.count, before.map(String.init) + report)
    }

    private static func mismatch(_ entry: Entry, _ answer: String) -> [String] {
        [
            "\(entry.number) \(entry.operation.name) at \(entry.now)", "  server: \(entry.text ?? "?")",
            "  model:  \(answer)",
        ]
    }
}
