/// The database operations that the flows need in a transaction.
///
/// A value of this type stands for one transaction: its reads are consistent, and its writes are durable once the
/// transaction commits, and otherwise have no effect.
package protocol AccountStore:
    UserStore, UserSearchStore, IdentityStore, MethodChangeStore, SessionStore, BrowserSessionStore,
    ConsoleSessionStore, TicketStore, ActionCodeStore, OutboxStore, SuppressionStore, TraceStore, HookStore,
    DocumentStore,
    LimitStore, KnownClientStore, MergeStore, UsernameStore, SharedWorkStore,
    CleanUpStore, OperatorRowStore, ImportStore, SettingStore, AuditStore, ErasureStore, FirebaseStore
{
    /// The database's clock, one value for the whole transaction. Milliseconds since 1970.
    var now: Int64 { get }

    /// Ensures that the transaction is serializable, before it does what neither row locks nor constraints protect.
    ///
    /// - Throws: an error after which the caller runs again in a serializable transaction, unless this one is.
    func requireSerializable(for reason: SerializableReason) throws

    /// Whether the transaction's time is before a revocation, so that a session of the transaction would count as revoked.
    ///
    /// - Parameter second: ``User/validSince``.
    func isBefore(revocation second: Int64) -> Bool

    /// Ensures that the transaction's time is not before a revocation that it sees (``isBefore(revocation:)``), unless
    /// that is yet to come.
    ///
    /// - Parameter second: ``User/validSince``.
    /// - Throws: an error after which the caller runs again with a later time.
    func requireTime(ofRevocation second: Int64) throws

    /// Prefetches the results of queries, so that a store across a network can send them all in one round trip.
    ///
    /// A store with local data need not run `questions` at all. The queries must not depend on one another's results,
    /// and must come before any change. Inside the closure, every query returns no rows; the same query after the call
    /// returns the rows.
    func prefetch(_ questions: (Self) throws -> Void) throws

    /// Gathers the new accounts, sessions and entries of the audit log and the redeemed tickets that a closure stores, so
    /// that a store across a network can store many of a kind together after the closure.
    ///
    /// - Parameter body: the closure, which must not read.
    func gathering<T>(_ body: () throws -> T) throws -> T
}

/// What only a serializable transaction may do, by the name with which tests leave that out.
package enum SerializableReason: String, Sendable {
    case deletion
    case merge
}
