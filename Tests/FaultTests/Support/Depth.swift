import Foundation

/// How hard to try: `DEPTH=full` runs each fault as often as its worst case deserves.
enum Depth {
    static let isFull = ProcessInfo.processInfo.environment["DEPTH"] == "full"

    /// One number for the everyday run, one for the full one.
    static func times(_ standard: Int, full: Int) -> Int {
        isFull ? full : standard
    }

    /// Runs rounds side by side: such as mostly wait, and do not mind the others.
    static func sideBySide(_ standard: Int, full: Int, _ round: @escaping @Sendable () async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<times(standard, full: full) { group.addTask { try await round() } }
            try await group.waitForAll()
        }
    }
}
