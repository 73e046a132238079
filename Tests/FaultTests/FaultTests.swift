import Testing

/// Faults of the real program and its environment.
///
/// The tests run one after the other, because they load the machine and measure times.
@Suite("Faults", .serialized, .timeLimit(.minutes(Depth.times(10, full: 120))))
enum FaultTests {}

/// Tests of the real program that mostly wait: for a retry, for the end of a lease, for a person's next step.
///
/// They run in parallel. Scripts/test-swift runs them after ``FaultTests``, not at the same time.
@Suite("Faults that take time", .timeLimit(.minutes(Depth.times(10, full: 120))))
enum SlowFaultTests {}

/// Faults of the PostgreSQL server that nodes share.
///
/// They run in parallel for the same reason, but separately, because all their nodes are too much load for
/// ``SlowFaultTests``, which measures times.
@Suite("Faults of a database server", .timeLimit(.minutes(Depth.times(10, full: 120))))
enum DatabaseServerFaultTests {}
