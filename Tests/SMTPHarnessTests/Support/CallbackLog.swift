import Foundation

/// What callbacks on several threads saw.
final class CallbackLog: @unchecked Sendable {
    // Unchecked: guarded by `lock`.
    private var seen: [Int] = []
    private let lock = NSLock()

    var numbers: [Int] { lock.withLock { seen } }

    func add(_ number: Int) { lock.withLock { seen.append(number) } }
}
