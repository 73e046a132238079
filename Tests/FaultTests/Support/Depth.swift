import Foundation

/// How hard to try: `DEPTH=full` runs each fault as often as its worst case deserves.
enum Depth {
    static let isFull = ProcessInfo.processInfo.environment["DEPTH"] == "full"

    /// One number for the everyday run, one for the full one.
    static func times(_ standard: Int, full: Int) -> Int {
        isFull ? full : standard
    }
}
