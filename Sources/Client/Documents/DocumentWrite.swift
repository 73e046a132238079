internal import JSON

/// What must be true of the stored document for a write to happen.
///
/// Otherwise the write fails with ``AuthError/Code/preconditionFailed``, and nothing changes.
public enum DocumentCondition: Sendable, Equatable {
    /// No condition.
    case none
    /// The document still has this version.
    case version(Int64)
    /// The document exists.
    case exists
    /// The document does not exist.
    case isAbsent

    /// The header fields for the condition (RFC 9110, 13.1); empty for ``none``.
    var headers: [HeaderField] {
        switch self {
        case .none: []
        case .version(let version): [HeaderField("If-Match", "\"\(version)\"")]
        case .exists: [HeaderField("If-Match", "*")]
        case .isAbsent: [HeaderField("If-None-Match", "*")]
        }
    }
}

/// One of several writes that ``Documents/write(_:)`` performs together: all of them or none.
public struct DocumentWrite: Sendable {
    /// The document's path.
    public let path: DocumentPath
    /// What must be true of the stored document.
    public let condition: DocumentCondition
    let change: Change

    enum Change: Sendable {
        case set(JSONValue)
        case patch(JSONValue)
        case delete
    }

    /// A write that replaces a document with all its content, or creates it.
    ///
    /// - Throws: ``AuthError/Code/invalidDocument`` if the value encodes as anything but a JSON object;
    ///   ``AuthError/Code/internalError`` if it cannot be encoded.
    public static func set(
        _ value: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        try set(json: API.encoded(value), at: path, if: condition)
    }

    /// A write that replaces or creates a document, given as JSON.
    ///
    /// - Throws: ``AuthError/Code/invalidDocument`` if the bytes are not a JSON object.
    public static func set(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        Self(path: path, condition: condition, change: .set(try object(json)))
    }

    /// A write that changes only the given members of a document (RFC 7396), or creates the document.
    ///
    /// - Throws: ``AuthError/Code/invalidDocument`` if the patch encodes as anything but a JSON object;
    ///   ``AuthError/Code/internalError`` if it cannot be encoded.
    public static func update(
        _ patch: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        try update(json: API.encoded(patch), at: path, if: condition)
    }

    /// A write that changes or creates a document, given a merge patch as JSON.
    ///
    /// - Throws: ``AuthError/Code/invalidDocument`` if the bytes are not a JSON object.
    public static func update(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        Self(path: path, condition: condition, change: .patch(try object(json)))
    }

    /// A write that deletes a document if it exists.
    public static func delete(_ path: DocumentPath, if condition: DocumentCondition = .none) -> Self {
        Self(path: path, condition: condition, change: .delete)
    }

    private static func object(_ json: [UInt8]) throws(AuthError) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue.parse(json, maximumDepth: JSONValue.deepestNesting)
        } catch {
            throw AuthError(.invalidDocument, detail: "not JSON: \(error)")
        }
        guard value.object != nil else { throw AuthError(.invalidDocument, detail: "not a JSON object") }
        return value
    }

    /// Appends this write to the request's list of writes.
    ///
    /// - Throws: ``AuthError/Code/invalidDocumentName``.
    func write(to json: inout JSONWriter) throws(AuthError) {
        guard path.isValid else { throw AuthError(.invalidDocumentName) }
        json.beginObject()
        json.member("collection", path.collection)
        json.member("id", path.id)
        switch change {
        case .set(let value): json.member("set", value)
        case .patch(let value): json.member("patch", value)
        case .delete: json.member("delete", true)
        }
        switch condition {
        case .none: break
        case .version(let version): json.member("ifMatch", String(version))
        case .exists: json.member("ifMatch", "*")
        case .isAbsent: json.member("ifNoneMatch", "*")
        }
        json.endObject()
    }
}
