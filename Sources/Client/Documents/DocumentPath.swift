/// The path of a document: a collection, and an ID in it.
///
/// Both consist of 1 to 128 ASCII letters, digits, `_`, `-` and `.`, and are neither `.` nor `..`.
public struct DocumentPath: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// The name of the collection.
    public let collection: String
    /// The name of the document in the collection.
    public let id: String

    /// Creates a path.
    ///
    /// The call that uses it checks whether the names are valid.
    public init(_ collection: String, _ id: String) {
        self.collection = collection
        self.id = id
    }

    /// Parses `collection/id`; `nil` unless both names are valid.
    public init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(String(parts[0]), String(parts[1]))
        guard isValid else { return nil }
    }

    /// `collection/id`.
    public var description: String { "\(collection)/\(id)" }

    /// Whether the server accepts both names.
    public var isValid: Bool { Self.isName(collection) && Self.isName(id) }

    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Returns the path of the document's URL, whose names need no escapes.
    ///
    /// - Throws: ``AuthError/Code/invalidDocumentName``.
    func urlPath() throws(AuthError) -> String {
        guard isValid else { throw AuthError(.invalidDocumentName) }
        return "/v1/documents/\(collection)/\(id)"
    }
}
