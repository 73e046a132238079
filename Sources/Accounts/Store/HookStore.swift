/// The messages to hooks, and the merges that hooks are asked about.
package protocol HookStore {
    /// Queues a message to a hook for delivery, unless a message with its id exists.
    func queue(_ message: HookMessage) throws
    /// Stores the question about a merge that the server itself asks a hook; it is not queued for delivery.
    func recordQuestion(_ question: HookMessage) throws
    /// Records that the hooks are no longer asked about a merge.
    ///
    /// - Returns: the names of the hooks that were being asked; empty if the outcome has been recorded before.
    func finishQuestions(of merge: String) throws -> [String]
    /// Stores a merge that hooks are asked about, and suspends its guest (``User/mergeID``).
    ///
    /// - Parameter lease: the milliseconds from now after which the merge counts as abandoned
    ///   (``abandonedMerges(limit:)``).
    func prepareMerge(_ id: String, of guest: String, into target: String, lease: Int64) throws
    /// Cancels a merge that is being prepared and releases its guest.
    ///
    /// - Returns: the UIDs of the merge's users; `nil` if it was already decided or does not exist.
    func cancelMerge(_ id: String, reason: String) throws -> (guest: String, target: String)?
    /// Returns the merges that are being prepared and whose lease has expired, at most `limit`.
    func abandonedMerges(limit: Int) throws -> [(id: String, guest: String)]
}
