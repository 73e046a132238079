internal import CMalloc

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The arenas of glibc's allocator: the pools from which threads take memory, each with a lock of its own.
enum MemoryArenas {
    /// Lets the allocator make as many arenas as there are processors, and two at least.
    ///
    /// By default it makes up to eight for each processor. A thread returns memory to the arena that it came from, and each
    /// arena keeps what it once needed, so the process grows to the sum of all peaks. More threads than processors never
    /// allocate at the same time.
    ///
    /// Call this before the first thread starts. A limit that the environment sets stays in force.
    static func limit(environment: [String: String]) {
        guard environment["MALLOC_ARENA_MAX"] == nil, environment["GLIBC_TUNABLES"]?.contains("arena_max") != true
        else {
            return
        }
        _ = mallopt(M_ARENA_MAX, Int32(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }
}
