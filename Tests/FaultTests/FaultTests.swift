import Testing

/// The real program, and everything that can happen to it.
///
/// One after the other, because they load the machine and measure times.
@Suite("Faults", .serialized, .timeLimit(.minutes(10)))
enum FaultTests {}
