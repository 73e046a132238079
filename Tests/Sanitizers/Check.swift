// Checks that the thread sanitizer works. With the argument `race` there is a race, under two independent locks;
// without it, four threads properly contend for one lock.
import Dispatch
import Synchronization

final class Shared: Sendable {
    let lock = Mutex(0)
    let otherLock = Mutex(0)
    nonisolated(unsafe) var plain = 0
}

let shared = Shared()
let isRacing = CommandLine.arguments.contains("race")

DispatchQueue.concurrentPerform(iterations: 4) { number in
    for _ in 0..<20_000 {
        if isRacing, number % 2 == 1 {
            shared.otherLock.withLock { _ in shared.plain += 1 }
        } else {
            shared.lock.withLock { _ in shared.plain += 1 }
        }
    }
}
