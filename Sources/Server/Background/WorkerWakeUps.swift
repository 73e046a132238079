/// Wakes the workers of all nodes after a commit that may have queued something for them.
package struct WorkerWakeUps: Sendable {
    /// Wakes the workers that send e-mails.
    let mailWorkers: @Sendable () -> Void
    /// Wakes the workers that send messages to hooks.
    let hookWorkers: @Sendable () -> Void

    /// - Parameters:
    ///   - mailWorkers: wakes the workers that send e-mails.
    ///   - hookWorkers: wakes the workers that send messages to hooks.
    package init(
        mailWorkers: @escaping @Sendable () -> Void,
        hookWorkers: @escaping @Sendable () -> Void
    ) {
        self.mailWorkers = mailWorkers
        self.hookWorkers = hookWorkers
    }
}
