internal import JSON

/// What has to hold for a write to be made; otherwise it fails with ``AuthError/Code/preconditionFailed``.
public enum DocumentCondition: Sendable, Equatable {
    /// Nothing.
    case none
    /// The document is in this version still.
    case version(Int64)
    /// There is such a document.
    case exists
    /// There is no such document.
    case isAbsent

    /// The header that says so (RFC 9110, 13.1).
    var headers: [HeaderField] {
        switch self {
        case .none: []
        case .version(let version): [HeaderField("If-Match", "\"\(version)\"")]
        case .exists: [HeaderField("If-Match", "*")]
        case .isAbsent: [HeaderField("If-None-Match", "*")]
        }
    }
}

/// One of several writes that are made together, all or none.
public struct DocumentWrite: Sendable {
    /// Which document.
    public let path: DocumentPath
    /// What has to hold.
    public let condition: DocumentCondition
    let change: Change

    enum Change: Sendable {
        case set(JSONValue)
        case patch(JSONValue)
        case delete
    }

    /// Replaces a document and all below it, or makes it.
    public static func set(
        _ value: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        try set(json: API.encoded(value), at: path, if: condition)
    }

    /// The same with a document as JSON.
    public static func set(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        Self(path: path, condition: condition, change: .set(try object(json)))
    }

    /// Changes named members only (RFC 7396), or makes the document.
    public static func update(
        _ patch: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        try update(json: API.encoded(patch), at: path, if: condition)
    }

    /// The same with a merge patch as JSON.
    public static func update(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) throws(AuthError) -> Self {
        Self(path: path, condition: condition, change: .patch(try object(json)))
    }

    /// Deletes a document, if there is one.
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

    /// Writes it as an element of the request's list.
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
