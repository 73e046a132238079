/// The rows of the operator's own tables that belong to users.
package protocol OperatorRowStore {
    /// Moves every row of the operator's tables that belongs to the guest to another user.
    ///
    /// The transaction must not be shared with other closures, because the operator's triggers run in it.
    ///
    /// - Returns: what was moved and deleted, for each column or foreign key.
    /// - Throws: ``MergeBlocked`` when a table does not allow it; the whole transaction must then be rolled back.
    func moveRows(from guest: String, to target: String) throws -> [RowMove]
    /// Finds the users among these who cannot be deleted because rows of the operator's tables forbid it.
    ///
    /// - Returns: the name of one such table for each such user, by UID.
    func blockers(of uids: [String]) throws -> [String: String]
}
