/// How mails are delivered.
package struct DeliverySettings: Sendable {
    /// Mails at the same time, each over a connection of its own.
    package var workers = 4
    /// Mails taken from the queue at once, at most; each time costs two commits.
    ///
    /// From a slow server's queue fewer are taken (``SendingPace``).
    package var batch = 128
    /// How long a taken mail is ours without a renewal, in milliseconds.
    package var lease: Int64 = 15_000
    /// How often the queue is looked at when nobody says that there is something, in milliseconds.
    package var poll: Int64 = 1000
    /// When a mail that failed is tried again.
    package var retries = RetrySchedule()
    /// When a mail is tried again that a server refused because of us.
    package var misconfiguredRetries = RetrySchedule.misconfigured
    /// How long everything pauses while the server cannot be used.
    package var pauses = ServerHealth.Pauses()
    /// How long outcomes are gathered for one commit while they come without a pause, in milliseconds; the first is written
    /// at once.
    package var gathering: Int64 = 4
    /// How long the stop waits for a database that is away, in milliseconds.
    package var stopPatience: Int64 = 10_000

    package init() {}
}
