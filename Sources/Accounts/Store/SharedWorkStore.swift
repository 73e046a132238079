/// The leases of work that one node does for all.
package protocol SharedWorkStore {
    /// Leases a task to this worker for a duration from now, or renews the worker's lease, unless another worker holds
    /// a lease that has not expired.
    ///
    /// - Returns: whether this worker holds the lease.
    func takeLease(_ work: SharedWork, worker: String, for milliseconds: Int64) throws -> Bool
    /// Releases a task if this worker holds its lease, so that another worker can take it.
    func endLease(_ work: SharedWork, worker: String) throws
}
