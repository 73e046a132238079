internal import Synchronization

/// Says that the caller of work which must be finished was cancelled, to those parts of the work that may stop.
final class Cancellation: Sendable {
    /// That of the work which runs in this task.
    @TaskLocal static var current: Cancellation?

    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}
