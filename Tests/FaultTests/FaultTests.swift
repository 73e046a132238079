import Testing

/// The real program, and everything that can happen to it.
///
/// One after the other, because they load the machine and measure times.
@Suite("Faults", .serialized, .timeLimit(.minutes(Depth.times(10, full: 120))))
enum FaultTests {}

/// Faults of the real program that are over only after a wait: a retry, a lease, a life of a link.
///
/// Side by side, because they mostly wait. Scripts/test-swift runs them after ``FaultTests``, not beside them.
@Suite("Faults that take time", .timeLimit(.minutes(Depth.times(10, full: 120))))
enum SlowFaultTests {}

/// Faults of the PostgreSQL server that nodes share.
///
/// Side by side for the same reason, and in a turn of their own, because the nodes of all of them are too much load for
/// ``SlowFaultTests``, which measures times.
@Suite("Faults of a database server", .timeLimit(.minutes(Depth.times(10, full: 120))))
enum DatabaseServerFaultTests {}
