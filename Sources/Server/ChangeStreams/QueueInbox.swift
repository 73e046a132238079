internal import Dispatch
internal import Synchronization

/// Collects what threads report to a serial queue, until the queue takes it.
///
/// However many reports arrive meanwhile, the queue is woken once.
final class QueueInbox<Reports: Sendable>: Sendable {
    private struct State {
        var reports: Reports
        /// Whether the queue has been woken since it last took the reports.
        var isWoken = false
    }

    private let empty: Reports
    private let queue: DispatchQueue
    private let state: Mutex<State>

    /// - Parameters:
    ///   - empty: no reports.
    ///   - queue: the queue that takes the reports.
    init(_ empty: Reports, for queue: DispatchQueue) {
        self.empty = empty
        self.queue = queue
        state = Mutex(State(reports: empty))
    }

    /// Adds a report, and runs `read` on the queue unless a run is scheduled already.
    ///
    /// - Parameters:
    ///   - change: adds the report; the inbox is locked meanwhile.
    ///   - read: takes the reports and acts on them.
    func post(_ change: (inout Reports) -> Void, read: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            change(&state.reports)
            defer { state.isWoken = true }
            return !state.isWoken
        }
        if isFirst { queue.async(execute: read) }
    }

    /// Returns all reports since the last call, and empties the inbox.
    func take() -> Reports {
        state.withLock { state in
            defer { state = State(reports: empty) }
            return state.reports
        }
    }
}
