/// The merges, and what a merge moves.
package protocol MergeStore {
    /// Stores a merge; of a merge that is stored already, only the state and the report change.
    func put(_ merge: StoredMerge) throws
    func merge(_ id: String) throws -> StoredMerge?
    /// Returns the committed merge that merged a guest, given by the UID, into another user; `nil` if none did.
    func committedMerge(of uid: String) throws -> StoredMerge?
    /// Counts a user's documents in each collection that has any; in ascending order of the collections' names.
    func documentCounts(of uid: String) throws -> [(collection: String, count: Int64)]
    /// Returns each pair of a guest's and a target's document with the same collection and name, by collection and name
    /// in ascending order.
    func documentConflicts(of guest: String, with target: String) throws -> [DocumentConflict]
    /// Returns the content of the document in a row; an error if the row does not exist.
    func documentContent(row: Int64) throws -> String
    func setDocumentContent(row: Int64, to content: String) throws
    func renameDocument(row: Int64, to name: String) throws
    /// Whether any of these users has a document of this name in this collection.
    func hasDocument(_ name: String, in collection: String, of uids: [String]) throws -> Bool
    /// Deletes documents of `owner`, given by the numbers of their rows, and updates the owner's counts; records no
    /// changes.
    func deleteDocuments(rows: [Int64], of owner: String) throws
    /// Moves all documents of a guest to the target, each under a change number of the target.
    ///
    /// No document may have the name of one of the target's. If at most `limit` documents move, their changes are
    /// recorded for change streams; otherwise none are.
    func moveDocuments(from guest: String, to target: String, noting limit: Int) throws
    /// Moves a guest's username to a user without a username.
    ///
    /// - Returns: the guest's username and whether it moved; `nil` if the guest has none.
    func moveUsername(from guest: String, to target: String) throws -> (name: String, moved: Bool)?
    /// Waits until all changes so far were made.
    ///
    /// - Throws: the error of a change that failed.
    func flush() throws
}
