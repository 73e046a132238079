package import JSON

/// What a user's documents may take up.
///
/// They bind whoever writes: a merge may leave a user with more, who then may write what makes it no more.
package struct DocumentLimits: Sendable, Equatable {
    /// Of one document, in bytes of compact JSON.
    package var maxBytes = 64 << 10
    /// How many objects and arrays may lie in each other, the document itself counted.
    package var maxDepth = 32
    /// How many documents a user may have.
    package var maxCount = 10_000
    /// What they may hold together.
    package var maxTotalBytes = 10 << 20
    /// How many documents a guest may have.
    package var guestMaxCount = 200
    /// What a guest's documents may hold together, in bytes.
    package var guestMaxTotalBytes = 256 << 10
    /// How many documents one call may write.
    package let maxWrites = 500
    /// What the documents that one call patches may have together, unless it is one alone: each is read and written whole while
    /// all other writes wait.
    package let maxPatchedBytes = 1 << 20

    /// From how many changes back a listener may resume.
    package static let resumableChanges: Int64 = 1000

    /// The defaults.
    package init() {}

    /// The compact text of a document.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT, DOCUMENT_TOO_LARGE.
    package func content(_ object: JSONObject) throws(Refusal) -> String {
        let value = JSONValue.object(object)
        guard !value.containsNUL else { throw Refusal(.invalidDocument, detail: "U+0000 is not allowed in a string.") }
        let bytes = value.serialized()
        guard bytes.count <= maxBytes else {
            throw Refusal(.documentTooLarge, detail: "A document may have at most \(maxBytes) bytes.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Refuses to patch more in one call than is short work.
    ///
    /// - Throws: ``Refusal`` DOCUMENT_TOO_LARGE.
    func check(patchedBytes: Int, writes: Int) throws(Refusal) {
        guard writes == 1 || patchedBytes <= maxPatchedBytes else {
            throw Refusal(
                .documentTooLarge,
                detail: "The documents that one call patches may have at most \(maxPatchedBytes) bytes together."
            )
        }
    }

    /// Refuses what would let a user have too much; less is always allowed.
    ///
    /// - Parameters:
    ///   - usage: the user's counts after the changes.
    ///   - changes: what the call adds to them.
    ///   - isGuest: whether the user is anonymous.
    /// - Throws: ``Refusal`` TOO_MANY_DOCUMENTS, DOCUMENT_QUOTA_EXCEEDED.
    func check(_ usage: DocumentUsage, after changes: DocumentChanges, isGuest: Bool = false) throws(Refusal) {
        let count = isGuest ? min(maxCount, guestMaxCount) : maxCount
        let bytes = isGuest ? min(maxTotalBytes, guestMaxTotalBytes) : maxTotalBytes
        let who = isGuest ? "guest" : "user"
        if changes.addedDocuments > 0, usage.documents > count {
            throw Refusal(.tooManyDocuments, detail: "A \(who) may have at most \(count) documents.")
        }
        if changes.addedBytes > 0, usage.bytes > bytes {
            throw Refusal(.documentQuotaExceeded, detail: "A \(who)'s documents may have at most \(bytes) bytes.")
        }
    }
}
