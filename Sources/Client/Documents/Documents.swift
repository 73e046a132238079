internal import JSON

/// The documents of the user who is signed in: small JSON objects that follow the UID from device to device.
///
/// ```swift
/// let path = DocumentPath("favourites", "number")
/// try await auth.documents.set(["number": 17], at: path)
/// for try await event in auth.documents.listen() { … }
/// ```
///
/// Each call concerns the documents of the user who is signed in when the call starts. Other users cannot read them.
/// When an anonymous user is merged into an account, its documents move there.
public struct Documents: Sendable {
    let auth: Auth

    /// Replaces a document with all its content, or creates it.
    ///
    /// Without a condition, the request is repeated if its answer is lost, so the document may be written twice. With a
    /// condition it is not repeated: after ``AuthError/Code/networkRequestFailed`` the write may have happened.
    ///
    /// - Parameters:
    ///   - value: a value that encodes as a JSON object.
    ///   - path: the document's path.
    ///   - condition: what must be true of the stored document, such as its version.
    /// - Returns: the document as stored.
    /// - Throws: ``AuthError/Code/preconditionFailed``; ``AuthError/Code/invalidDocument`` or
    ///   ``AuthError/Code/invalidDocumentName``; ``AuthError/Code/documentTooLarge``,
    ///   ``AuthError/Code/documentTooDeep``, ``AuthError/Code/tooManyDocuments``,
    ///   ``AuthError/Code/documentQuotaExceeded`` or ``AuthError/Code/storageLow`` at the server's limits;
    ///   ``AuthError/Code/mergeInProgress``; ``AuthError/Code/internalError`` if the value cannot be encoded; and as
    ///   ``Auth/reload()``.
    @discardableResult
    public func set(
        _ value: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await set(json: API.encoded(value), at: path, if: condition)
    }

    /// Replaces or creates a document, given as JSON, which preserves numbers that no Swift type can represent.
    ///
    /// Otherwise the call is like ``set(_:at:if:)``, also in its errors.
    @discardableResult
    public func set(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await write("PUT", json, type: "application/json", at: path, if: condition)
    }

    /// Changes only the given members of a document (RFC 7396), or creates the document.
    ///
    /// A member that is `null` in the patch is removed. A Swift optional that is `nil` is not encoded, and so changes
    /// nothing. To remove a member, use a dictionary or JSON.
    ///
    /// Without a condition, the request is repeated if its answer is lost, so the patch may be applied twice. With a
    /// condition it is not repeated: after ``AuthError/Code/networkRequestFailed`` the write may have happened.
    ///
    /// - Parameters:
    ///   - patch: a value that encodes as a JSON object.
    ///   - path: the document's path.
    ///   - condition: what must be true of the stored document, such as its version.
    /// - Returns: the document as stored.
    /// - Throws: as ``set(_:at:if:)``.
    @discardableResult
    public func update(
        _ patch: some Encodable,
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await update(json: API.encoded(patch), at: path, if: condition)
    }

    /// Changes or creates a document, given a merge patch as JSON.
    ///
    /// Otherwise the call is like ``update(_:at:if:)``, also in its errors.
    @discardableResult
    public func update(
        json: [UInt8],
        at path: DocumentPath,
        if condition: DocumentCondition = .none
    ) async throws(AuthError) -> Document {
        try await write("PATCH", json, type: "application/merge-patch+json", at: path, if: condition)
    }

    /// Performs several writes together: either all, or none when one of them fails.
    ///
    /// If no write has a condition, the request is repeated if its answer is lost. Otherwise it is not repeated: after
    /// ``AuthError/Code/networkRequestFailed`` the writes may have happened.
    ///
    /// - Parameter writes: at most 500 writes.
    /// - Returns: the new version of each document in the order of the writes; `nil` for a deletion.
    /// - Throws: ``AuthError/Code/tooManyWrites``, and as ``set(_:at:if:)``.
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
    /// - Parameter path: the document's path.
    /// - Returns: the document; ``Document/decode(_:)`` decodes it.
    /// - Throws: ``AuthError/Code/documentNotFound``, ``AuthError/Code/invalidDocumentName``, and as ``Auth/reload()``.
    public func get(_ path: DocumentPath) async throws(AuthError) -> Document {
        let call = API.Call(method: "GET", path: try path.urlPath(), type: nil, isRepeatable: true)
        return try await send(call) { Document(path, $0) }
    }

    /// Reads a document as a value.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - path: the document's path.
    /// - Returns: the value.
    /// - Throws: ``AuthError/Code/documentMismatch``, and as ``get(_:)``.
    public func get<Value: Decodable>(_ type: Value.Type, at path: DocumentPath) async throws(AuthError) -> Value {
        try await get(path).decode(type)
    }

    /// Deletes a document if it exists.
    ///
    /// Without a condition, the request is repeated if its answer is lost. With a condition it is not repeated: after
    /// ``AuthError/Code/networkRequestFailed`` the document may have been deleted.
    ///
    /// - Parameters:
    ///   - path: the document's path.
    ///   - condition: what must be true of the stored document, such as its version.
    /// - Throws: ``AuthError/Code/preconditionFailed``, ``AuthError/Code/invalidDocumentName``,
    ///   ``AuthError/Code/mergeInProgress``, and as ``Auth/reload()``.
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

    /// Sends a call with the signed-in user's ID token, and parses its answer.
    ///
    /// - Parameters:
    ///   - call: the call, without its token.
    ///   - read: parses a successful answer; `nil` if it is not one of a Latchkey server.
    /// - Returns: the parsed answer.
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
    /// The documents of the signed-in user.
    public var documents: Documents { Documents(auth: self) }
}
