internal import JSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A document as stored on the server.
public struct Document: Sendable, Equatable {
    /// The document's path.
    public let path: DocumentPath
    /// The document's version: the number of the change that wrote it, so that a later version is a larger number.
    public let version: Int64
    /// When the document was last written; `nil` unless the document came from a list.
    public let updatedAt: Date?
    /// The document as JSON: numbers beyond `Double` and the order of members are preserved as stored.
    public let json: [UInt8]

    /// Decodes the document.
    ///
    /// - Parameter type: the type to decode.
    /// - Returns: the value.
    /// - Throws: ``AuthError/Code/documentMismatch`` when it does not match the type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(AuthError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(json))
        } catch {
            throw AuthError(.documentMismatch, detail: "\(path) is not a \(Value.self)")
        }
    }
}

extension Document {
    /// Parses an entry of a list or the data of an event; `nil` if path, version or content are missing.
    init?(_ entry: JSONValue) {
        guard let path = DocumentPath(entry), let version = entry["version"]?.wireInteger,
            let document = entry["document"]
        else { return nil }
        self.path = path
        self.version = version
        updatedAt = entry["updatedAt"]?.string.flatMap(WireDate.date)
        json = document.serialized()
    }

    /// Parses the answer to a call on one document: the document itself, with its version in `ETag`; `nil` without a
    /// version.
    init?(_ path: DocumentPath, _ response: TransportResponse) {
        guard let version = response.header("ETag").flatMap(Self.version) else { return nil }
        self.path = path
        self.version = version
        updatedAt = nil
        json = response.body
    }

    /// Returns the number in an entity tag such as `"17"`; `nil` for any other text.
    ///
    /// A proxy that compresses may have made the tag weak, `W/"17"` (RFC 9110, 8.8.3).
    private static func version(_ tag: String) -> Int64? {
        let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        guard strong.count > 2, strong.first == "\"", strong.last == "\"" else { return nil }
        return Int64(strong.dropFirst().dropLast())
    }
}

extension DocumentPath {
    init?(_ entry: JSONValue) {
        guard let collection = entry["collection"]?.string, let id = entry["id"]?.string else { return nil }
        self.init(collection, id)
    }
}

extension JSONValue {
    /// Parses an answer of the server; `nil` if the bytes are not JSON, or nest too deeply.
    ///
    /// The limit is above that of any document which a server may be configured to store, plus the envelope around it.
    static func parse(answer bytes: [UInt8]) -> JSONValue? {
        try? parse(bytes, maximumDepth: deepestNesting)
    }

    /// The integer that this JSON value holds as a string or as a number; `nil` for any other value.
    var wireInteger: Int64? { string.flatMap { Int64($0) } ?? int64 }
}
