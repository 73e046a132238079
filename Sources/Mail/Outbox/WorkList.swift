internal import Synchronization

/// Things to do, handed from one producer to several consumers.
final class WorkList<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var waiting: [CheckedContinuation<Item?, Never>] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// How many wait to be done.
    var count: Int { state.withLock { $0.items.count } }

    /// Adds items; false, and nothing added, once the list is closed.
    func add(_ new: [Item]) -> Bool {
        let handed: [(CheckedContinuation<Item?, Never>, Item)]? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.items += new
            let served = min(state.waiting.count, state.items.count)
            let pairs = Array(zip(state.waiting.prefix(served), state.items.prefix(served)))
            state.waiting.removeFirst(served)
            state.items.removeFirst(served)
            return pairs
        }
        guard let handed else { return false }
        for (consumer, item) in handed { consumer.resume(returning: item) }
        return true
    }

    /// The next item, as soon as there is one; nil once the list is closed.
    func next() async -> Item? {
        await withCheckedContinuation { continuation in
            let item: Item?? = state.withLock { state in
                if !state.items.isEmpty { return .some(state.items.removeFirst()) }
                if state.isClosed { return .some(nil) }
                state.waiting.append(continuation)
                return nil
            }
            if let item { continuation.resume(returning: item) }
        }
    }

    /// The next item, if there is one at once.
    func nextIfAny() -> Item? {
        state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() }
    }

    /// Takes back what nobody has begun.
    func drain() -> [Item] {
        state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }

    /// Ends it: consumers get nil from now on.
    ///
    /// Returns what nobody has begun.
    func close() -> [Item] {
        let (left, waiting) = state.withLock { state in
            defer { state = State(isClosed: true) }
            return (state.items, state.waiting)
        }
        for consumer in waiting { consumer.resume(returning: nil) }
        return left
    }
}
