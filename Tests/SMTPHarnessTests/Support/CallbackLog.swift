import Foundation

/// Records the calls of callbacks on several threads.
final class CallbackLog: @unchecked Sendable {
    // Unchecked: guarded by `lock`.
    private var seen: [Int] = []
    private let lock = NSLock()

    var numbers: [Int] { lock.withLock { seen } }

    func add(_ number: Int) { lock.withLock { seen.append(number) } }
}
