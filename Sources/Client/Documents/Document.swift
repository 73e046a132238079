internal import JSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A document as the server has it.
public struct Document: Sendable, Equatable {
    /// Which one.
    public let path: DocumentPath
    /// Its version: the number of the change that wrote it, so that a later version is a larger number.
    public let version: Int64
    /// When it was written; only listing tells.
    public let updatedAt: Date?
    /// The document as JSON, byte for byte as it is stored: numbers beyond `Double` and the order of members survive.
    public let json: [UInt8]

    /// The document as a value.
    ///
    /// - Parameter type: What to read it as.
    /// - Returns: The value.
    /// - Throws: ``AuthError/Code/documentMismatch`` when it has another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(AuthError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(json))
        } catch {
            throw AuthError(.documentMismatch, detail: "\(path) is no \(Value.self)")
        }
    }
}

extension Document {
    /// Reads an entry of a list or the data of an event; `nil` when it is neither.
    init?(_ entry: JSONValue) {
        guard let path = DocumentPath(entry), let version = entry["version"]?.wireInteger,
            let document = entry["document"]
        else { return nil }
        self.path = path
        self.version = version
        updatedAt = entry["updatedAt"]?.string.flatMap(WireDate.date)
        json = document.serialized()
    }

    /// Reads the answer of a call on one document: the document itself, its version in `ETag`.
    init?(_ path: DocumentPath, _ response: TransportResponse) {
        guard let version = response.header("ETag").flatMap(Self.version) else { return nil }
        self.path = path
        self.version = version
        updatedAt = nil
        json = response.body
    }

    /// The number in `"17"`; a proxy that compresses may have made it weak, `W/"17"` (RFC 9110, 8.8.3).
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
    /// The deepest that a server may be configured to store, and the envelope around it.
    static func parse(answer bytes: [UInt8]) -> JSONValue? {
        try? parse(bytes, maximumDepth: deepestNesting)
    }

    /// An integer that the protocol writes as a string.
    var wireInteger: Int64? { string.flatMap { Int64($0) } ?? int64 }
}
