/// The users' documents.
package protocol DocumentStore {
    func document(_ name: DocumentName, of uid: String) throws -> Document?
    /// Returns the version and size of a document without reading its content.
    func documentState(_ name: DocumentName, of uid: String) throws -> DocumentState?
    /// Returns a page of a user's documents, by collection and id in ascending order.
    ///
    /// The page has at most `limit` documents, and at most `maximumBytes` of content unless it has only one document.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - collection: the collection to read; `nil` reads all.
    ///   - last: the name after which the page begins; `nil` begins with the first document.
    ///   - limit: the maximum number of documents.
    ///   - maximumBytes: the maximum total size of the contents.
    func documents(
        of uid: String,
        in collection: String?,
        after last: DocumentName?,
        limit: Int,
        maximumBytes: Int
    ) throws -> DocumentPage
    /// Adds changes to the counts in a user's row, and so reserves a change number for each.
    ///
    /// Must come before the changes themselves, which get the numbers up to the returned one.
    ///
    /// - Returns: the user's new counts. If they say that an entry of the audit log is due (``DocumentUsage/isAuditDue``),
    ///   the caller writes it.
    func count(_ changes: DocumentChanges, of uid: String) throws -> DocumentUsage
    /// Stores a document, replacing the user's document of the same name if there is one, and records the change for
    /// change streams under the document's version.
    func put(_ document: Document, of uid: String) throws
    /// Deletes a document and records the change for change streams under `number`.
    func deleteDocument(_ name: DocumentName, of uid: String, number: Int64) throws
    /// Deletes the records of a user's document changes up to and including a number; the documents stay.
    func deleteChanges(of uid: String, through number: Int64) throws
}
