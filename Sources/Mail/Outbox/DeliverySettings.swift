/// How mails are delivered.
package struct DeliverySettings: Sendable {
    /// Mails at the same time, each over a connection of its own.
    package var workers = 4
    /// Mails taken from the queue at once.
    package var batch = 32
    /// How long a taken mail is ours, in milliseconds; several times the longest time of one mail.
    package var lease: Int64 = 180_000
    /// How often the queue is looked at when nobody says that there is something, in milliseconds.
    package var poll: Int64 = 1000
    /// When a mail that failed is tried again.
    package var retries = RetrySchedule()
    /// When a mail is tried again that a server refused because of us.
    package var misconfiguredRetries = RetrySchedule.misconfigured
    /// Pauses while the server is away, in milliseconds.
    package var unavailablePauses = RetrySchedule(first: 1000, longest: 30_000)
    /// Pauses while the server refuses us, in milliseconds.
    package var misconfiguredPauses = RetrySchedule(first: 30_000, longest: 300_000)
    /// How long the stop waits for a database that is away, in milliseconds.
    package var stopPatience: Int64 = 10_000

    package init() {}
}
