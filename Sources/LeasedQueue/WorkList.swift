internal import Synchronization

/// A first-in, first-out list of work items for several consumers that wait for them.
package final class WorkList<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var waiting: [CheckedContinuation<Item?, Never>] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of items that no consumer has received yet.
    package var count: Int { state.withLock { $0.items.count } }

    /// Adds items to the end of the list.
    ///
    /// - Returns: whether they were added; false once the list is closed.
    package func add(_ new: [Item]) -> Bool {
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

    /// Waits until there is an item, and removes and returns the first one; nil once the list is closed.
    ///
    /// Cancellation of the task does not end the wait.
    package func next() async -> Item? {
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

    /// Removes and returns the next item without waiting; nil if there is none.
    package func nextIfAny() -> Item? {
        state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() }
    }

    /// Removes and returns all items that no consumer has received; the list stays open.
    package func drain() -> [Item] {
        state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }

    /// Closes the list: waiting and later consumers receive nil, and no item can be added.
    ///
    /// - Returns: the items that no consumer has received, which are removed.
    package func close() -> [Item] {
        let (left, waiting) = state.withLock { state in
            defer { state = State(isClosed: true) }
            return (state.items, state.waiting)
        }
        for consumer in waiting { consumer.resume(returning: nil) }
        return left
    }
}
