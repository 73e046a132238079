/// The name of a user's document: its collection, and its id in the collection.
package struct DocumentName: Sendable, Hashable {
    package let collection: String
    package let id: String

    /// Checks a name given by a client.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT_NAME.
    package init(collection: String, id: String) throws(Refusal) {
        try Self.check(collection)
        try Self.check(id)
        self.init(storedCollection: collection, id: id)
    }

    /// Makes a name that was checked when it was stored.
    package init(storedCollection collection: String, id: String) {
        self.collection = collection
        self.id = id
    }

    /// Checks a part of a name: 1 to 128 ASCII letters, digits, `_`, `-` and `.`, except `.` and `..`, which have a
    /// meaning in paths.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT_NAME.
    package static func check(_ part: String) throws(Refusal) {
        guard (1...128).contains(part.utf8.count), part.utf8.allSatisfy(isAllowed), part != ".", part != ".." else {
            throw Refusal(.invalidDocumentName)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}

extension DocumentName: CustomStringConvertible {
    /// `collection/id`, for people.
    package var description: String { "\(collection)/\(id)" }
}
