import Foundation

/// The depth of the tests: `DEPTH=full` runs each fault as often as its worst case requires.
enum Depth {
    static let isFull = ProcessInfo.processInfo.environment["DEPTH"] == "full"

    /// Returns one number for the everyday run, another for the full run.
    static func times(_ standard: Int, full: Int) -> Int {
        isFull ? full : standard
    }

    /// Runs rounds in parallel, for rounds that mostly wait and do not disturb one another.
    static func sideBySide(_ standard: Int, full: Int, _ round: @escaping @Sendable () async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<times(standard, full: full) { group.addTask { try await round() } }
            try await group.waitForAll()
        }
    }
}
