internal import JSON

/// The documents of the user who is signed in: small JSON objects that follow the UID from device to device.
///
/// ```swift
/// let path = DocumentPath("favourites", "number")
/// try await auth.documents.set(["number": 17], at: path)
/// for try await event in auth.documents.listen() { … }
/// ```
///
/// They belong to whoever is signed in when a call begins, and nobody else can read them. When an anonymous user is merged
/// into an account, its documents go along.
public struct Documents: Sendable {
    let auth: Auth

    /// Replaces a document and all below it, or makes it.
    ///
    /// Without a condition, a lost answer is asked for again: the document is written twice then.
    ///
    /// - Parameters:
    ///   - value: What encodes as a JSON object.
    ///   - path: Which document.
    ///   - condition: What has to hold.
    /// - Returns: The document as it is stored.
    /// - Throws: ``AuthError/Code/preconditionFailed``; ``AuthError/Code/documentTooLarge``,
    ///   ``AuthError/Code/documentTooDeep``, ``AuthError/Code/tooManyDocuments`` or
    ///   ``AuthError/Code/documentQuotaExceeded`` at the server's limits; ``AuthError/Code/mergeInProgress``.
    @discardableResult
    public func set(
        _ value: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await set(json: API.encoded(value), at: path, if: condition)
    }

    /// The same with a document as JSON, which keeps numbers that no Swift type can.
    @discardableResult
    public func set(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await write("PUT", json, type: "application/json", at: path, if: condition)
    }

    /// Changes named members of a document only (RFC 7396), or makes it.
    ///
    /// A member that is `null` in the patch is removed. An optional of a Swift type that is `nil` is not encoded, and so
    /// changes nothing: to remove, use a dictionary or JSON.
    ///
    /// - Parameters:
    ///   - patch: What encodes as a JSON object.
    ///   - path: Which document.
    ///   - condition: What has to hold.
    /// - Returns: The document as it is stored.
    /// - Throws: As ``set(_:at:if:)``.
    @discardableResult
    public func update(
        _ patch: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await update(json: API.encoded(patch), at: path, if: condition)
    }

    /// The same with a merge patch as JSON.
    @discardableResult
    public func update(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await write("PATCH", json, type: "application/merge-patch+json", at: path, if: condition)
    }

    /// Makes several writes together: all, or none when one of them fails.
    ///
    /// - Parameter writes: At most 500.
    /// - Returns: The new version of each document, `nil` where it was deleted.
    /// - Throws: As ``set(_:at:if:)``.
    @discardableResult
    public func write(_ writes: [DocumentWrite]) async throws(AuthError) -> [Int64?] {
        var json = JSONWriter()
        json.beginObject()
        json.beginArray("writes")
        for write in writes { try write.write(to: &json) }
        json.endArray()
        json.endObject()
        let isRepeatable = writes.allSatisfy { $0.condition == .none }
        let call = API.Call(method: "PATCH", path: "/v1/documents", body: json.bytes, isRepeatable: isRepeatable)
        return try await send(call) { response in
            let done = JSONValue.parse(answer: response.body)?["writes"]?.array
            return done?.count == writes.count ? done?.map { $0["version"]?.wireInteger } : nil
        }
    }

    /// Reads a document.
    ///
    /// - Parameter path: Which one.
    /// - Returns: The document; ``Document/decode(_:)`` makes a value of it.
    /// - Throws: ``AuthError/Code/documentNotFound``.
    public func get(_ path: DocumentPath) async throws(AuthError) -> Document {
        let call = API.Call(method: "GET", path: try path.urlPath(), type: nil, isRepeatable: true)
        return try await send(call) { Document(path, $0) }
    }

    /// Reads a document as a value.
    ///
    /// - Parameters:
    ///   - type: What to read it as.
    ///   - path: Which one.
    /// - Returns: The value.
    /// - Throws: ``AuthError/Code/documentNotFound``, ``AuthError/Code/documentMismatch``.
    public func get<Value: Decodable>(_ type: Value.Type, at path: DocumentPath) async throws(AuthError) -> Value {
        try await get(path).decode(type)
    }

    /// Deletes a document; that there is none is no failure.
    ///
    /// - Parameters:
    ///   - path: Which one.
    ///   - condition: What has to hold.
    /// - Throws: ``AuthError/Code/preconditionFailed``, ``AuthError/Code/mergeInProgress``.
    public func delete(_ path: DocumentPath, if condition: DocumentCondition = .none) async throws(AuthError) {
        let call = API.Call(
            method: "DELETE",
            path: try path.urlPath(),
            type: nil,
            headers: condition.headers,
            isRepeatable: condition == .none
        )
        try await send(call) { _ in () }
    }

    private func write(
        _ method: String,
        _ json: [UInt8],
        type: String,
        at path: DocumentPath,
        if condition: DocumentCondition
    ) async throws(AuthError) -> Document {
        let call = API.Call(
            method: method,
            path: try path.urlPath(),
            body: json,
            type: type,
            headers: condition.headers,
            isRepeatable: condition == .none
        )
        return try await send(call) { Document(path, $0) }
    }

    /// Makes a call for the user who is signed in.
    func send<T: Sendable>(
        _ call: API.Call,
        read: @Sendable (TransportResponse) -> T?
    ) async throws(AuthError) -> T {
        try await auth.withToken { token async throws(AuthError) in
            var call = call
            call.bearer = token
            return try await self.auth.api.send(call, read: read)
        }
    }
}

extension Auth {
    /// The documents of the user who is signed in.
    public var documents: Documents { Documents(auth: self) }
}
