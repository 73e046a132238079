/// Changes that a closure makes one after the other, and of which a statement can make many.
package protocol GatheredChanges: AnyObject {
    /// Enqueues the statements that make all changes.
    func enqueue(in transaction: Transaction) throws
}

extension Transaction {
    /// Gathers changes while a closure runs, and enqueues them afterwards.
    ///
    /// With SQLite, where a statement costs no round trip and few allocations, nothing is gathered.
    ///
    /// - Parameters:
    ///   - changes: the object that the closure's changes are added to, as ``gathered``.
    ///   - body: the closure. A query in it is refused, because it would not see the gathered changes.
    /// - Throws: what `body` throws, or ``DatabaseError``.
    package func gathering<T>(_ changes: some GatheredChanges, _ body: () throws -> T) throws -> T {
        guard engine.prefetches, gathered == nil else { return try body() }
        let result: T
        do {
            gathered = changes
            defer { gathered = nil }
            result = try body()
        }
        try changes.enqueue(in: self)
        return result
    }
}
