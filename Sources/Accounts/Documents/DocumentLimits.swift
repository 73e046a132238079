package import JSON

/// The limits of a user's documents.
///
/// The limits apply to writes. A merge may leave a user above them; such a user can add no documents while above
/// ``maxCount``, and no bytes while above ``maxTotalBytes``.
package struct DocumentLimits: Sendable, Equatable {
    /// The maximum size of one document, in bytes of compact JSON.
    package var maxBytes = 64 << 10
    /// The maximum nesting of objects and arrays, including the document itself; checked when a request is parsed.
    package var maxDepth = 32
    /// The maximum number of a user's documents.
    package var maxCount = 10_000
    /// The maximum total size of a user's documents, in bytes.
    package var maxTotalBytes = 10 << 20
    /// The maximum number of a guest's documents; ``maxCount`` applies if it is lower.
    package var guestMaxCount = 200
    /// The maximum total size of a guest's documents, in bytes; ``maxTotalBytes`` applies if it is lower.
    package var guestMaxTotalBytes = 256 << 10
    /// The maximum number of documents that one call may write or delete.
    package let maxWrites = 500
    /// The maximum total size in bytes of the documents that a call with several writes patches, each counted with its
    /// size before or after the patch, whichever is larger.
    ///
    /// Each of them is read and rewritten while all other writes wait.
    package let maxPatchedBytes = 1 << 20

    /// The number of a user's latest changes whose records are kept, so that a change stream can resume from them.
    package static let resumableChanges: Int64 = 1000

    /// Makes the default limits.
    package init() {}

    /// Returns the compact JSON text of a document's content; the nesting is not checked.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT if a string contains U+0000, DOCUMENT_TOO_LARGE beyond ``maxBytes``.
    package func content(_ object: JSONObject) throws(Refusal) -> String {
        let value = JSONValue.object(object)
        guard !value.containsNUL else { throw Refusal(.invalidDocument, detail: "U+0000 is not allowed in a string.") }
        let bytes = value.serialized()
        guard bytes.count <= maxBytes else {
            throw Refusal(.documentTooLarge, detail: "A document may have at most \(maxBytes) bytes.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Refuses to patch more than ``maxPatchedBytes`` in a call with several writes.
    ///
    /// - Parameters:
    ///   - patchedBytes: the total size of the documents that the call patches.
    ///   - writes: the number of all writes of the call; a single one is always allowed.
    /// - Throws: ``Refusal`` DOCUMENT_TOO_LARGE.
    func check(patchedBytes: Int, writes: Int) throws(Refusal) {
        guard writes == 1 || patchedBytes <= maxPatchedBytes else {
            throw Refusal(
                .documentTooLarge,
                detail: "The documents that one call patches may have at most \(maxPatchedBytes) bytes together."
            )
        }
    }

    /// Refuses writes that add documents or bytes beyond the user's limits; writes that add neither are always allowed.
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
