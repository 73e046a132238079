internal import Database

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

    /// Wakes this node's workers at once, and those of other nodes by a notification.
    ///
    /// - Parameters:
    ///   - database: notifies the other nodes.
    ///   - mails: wakes this node's mail workers.
    ///   - hooks: wakes this node's workers for hook messages.
    init(announcedBy database: any Database, mails: WakeUp, hooks: WakeUp) {
        self.init(
            mailWorkers: {
                mails.call()
                database.announce(.mail)
            },
            hookWorkers: {
                hooks.call()
                database.announce(.hooks)
            }
        )
    }
}
