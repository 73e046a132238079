package import LeasedQueue

/// The settings of e-mail delivery.
package struct DeliverySettings: Sendable {
    /// The maximum number of e-mails that one node sends at the same time, each over its own connection.
    package var workers = 4
    /// The maximum number of e-mails that a delivery leases in advance, in addition to those being sent.
    ///
    /// If the mail server is slow, fewer are leased (``SendingPace``).
    package var batch = 128
    /// The duration of a lease, in milliseconds, unless it is renewed.
    package var lease: Int64 = 15_000
    /// The time between two polls of the queue, in milliseconds; a notification makes the delivery check it earlier.
    package var poll: Int64 = 1000
    /// The waits before an e-mail is retried after a temporary failure.
    package var retries = RetrySchedule()
    /// The waits before an e-mail is retried that the mail server rejected because of the configuration.
    package var misconfiguredRetries = RetrySchedule(first: 300_000)
    /// The pauses of all delivery while the mail server cannot be used.
    package var pauses = ServerHealth.Pauses()
    /// How long outcomes are collected for one commit while they arrive faster than the database commits, in
    /// milliseconds.
    ///
    /// An outcome that arrives alone is written at once.
    package var gathering: Int64 = 4
    /// How long a stop keeps trying to record outcomes in an unavailable database, in milliseconds.
    package var stopPatience: Int64 = 10_000

    package init() {}
}
