/// The database operations that the flows need in a transaction.
///
/// A value of this type stands for one transaction: its reads are consistent, and its writes are durable once the
/// transaction commits, and otherwise have no effect.
package protocol AccountStore:
    UserStore, UserSearchStore, IdentityStore, MethodChangeStore, SessionStore, BrowserSessionStore,
    ConsoleSessionStore, TicketStore,
    ActionCodeStore, OutboxStore, SuppressionStore, HookStore, DocumentStore,
    LimitStore, KnownClientStore, MergeStore, UsernameStore, SharedWorkStore,
    CleanUpStore, OperatorRowStore, ImportStore, SettingStore, AuditStore
{
    /// The database's clock, one value for the whole transaction. Milliseconds since 1970.
    var now: Int64 { get }

    /// Prefetches the results of queries, so that a store across a network can send them all in one round trip.
    ///
    /// A store with local data need not run `questions` at all. The queries must not depend on one another's results,
    /// and must come before any change. Inside the closure, every query returns no rows; the same query after the call
    /// returns the rows.
    func prefetch(_ questions: (Self) throws -> Void) throws
}
