internal import Dispatch
internal import Glibc
internal import JSON
internal import Synchronization

/// Pings the service manager as long as the threads that serve connections answer.
///
/// The manager restarts a server whose pings stop. No database takes part in an answer, so a database that is away does
/// not stop the pings.
package final class Watchdog: Sendable {
    private let manager: ServiceManager
    private let interval: Duration
    private let isStopping = Atomic(false)

    /// Starts pinging, on a thread of its own; `nil` if the manager expects no pings.
    ///
    /// - Parameters:
    ///   - manager: the service manager.
    ///   - instance: the server whose threads are asked.
    ///   - logger: receives a line when the threads do not answer, since the manager's line does not say why.
    package init?(_ manager: ServiceManager, _ instance: Instance, logger: Log) {
        guard let interval = manager.watchdogInterval else { return nil }
        self.manager = manager
        // The manager recommends half of its interval. A third leaves time for an answer and for a missed turn.
        self.interval = interval / 3
        DispatchQueue(label: "latchkey.watchdog").async { [self] in
            while !isStopping.load(ordering: .relaxed) {
                if instance.answers(within: self.interval) {
                    manager.ping()
                } else {
                    logger("watchdog", ("level", "error"), ("detail", "the serving threads do not answer"))
                }
                usleep(UInt32(clamping: Int(self.interval / .microseconds(1))))
            }
        }
    }

    /// Ends the pings within an interval.
    package func stop() {
        isStopping.store(true, ordering: .relaxed)
    }
}
