internal import Glibc

/// Chooses the part of a counter that the current thread adds to.
///
/// Threads that add to different cache lines do not slow each other down.
enum Shard {
    /// The number of parts of each counter, a power of two.
    static let count = 8

    /// The part for the current thread, from 0 to ``count`` - 1; two threads may share one.
    static var current: Int {
        // The identifiers of threads are addresses that differ in their middle bits. The product spreads them (Knuth).
        Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }
}
