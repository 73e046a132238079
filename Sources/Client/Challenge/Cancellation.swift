internal import Synchronization

/// Signals cancellation of the caller to those parts of uninterruptible work that may stop.
final class Cancellation: Sendable {
    /// The object that signals to the work in this task that its caller was cancelled; `nil` if the work has none.
    @TaskLocal static var current: Cancellation?

    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}
