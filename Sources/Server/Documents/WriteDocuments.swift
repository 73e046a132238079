internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `PATCH /v1/documents`: writes several documents of the caller, all or none.
struct WriteDocuments: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let writes: [DocumentWrite]
        let volume: WriteVolume
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let token = try services.bearerToken(of: request)
        let limits = services.flows.policy.documents
        // Each document is nested in the object, the list and the write.
        let body = try limits.value(request.body, around: 3, orRefuse: .invalidWrites)
        guard let list = body["writes"]?.array else { throw Refusal(.invalidWrites, detail: "writes must be a list.") }
        guard list.count <= limits.maxWrites else {
            throw Refusal(.tooManyWrites, detail: "One call may write at most \(limits.maxWrites) documents.")
        }
        var names: Set<DocumentName> = []
        let writes = try list.enumerated().map { index, value in
            let write = try WriteObject(value, index: index).write(within: limits)
            guard names.insert(write.name).inserted else {
                throw Refusal(.invalidWrites, detail: "writes[\(index)]: \(write.name) is written twice.")
            }
            return write
        }
        return Input(token: token, writes: writes, volume: try services.volume(writes, of: token, request))
    }

    // Whatever changes documents, or ends the session or its user, changes one of the two rows that the write locks.
    func isolation(_ input: Input) -> Isolation { .readCommitted }

    func transact(_ input: Input, in transaction: Transaction) throws -> CountedDocuments {
        CountedDocuments(
            written: try services.flows.write(input.writes, of: input.token, in: transaction),
            volume: input.volume
        )
    }

    func committed(_ counted: CountedDocuments, of call: CallContext) {
        services.countFurtherBytes(of: counted)
        if counted.written.hasChanges { services.changes.changed(counted.written.uid) }
    }

    func render(_ counted: CountedDocuments) throws -> Response {
        let documents = counted.written.documents
        var json = JSONWriter(capacity: 32 + documents.count * 96)
        json.beginObject()
        json.beginArray("writes")
        for written in documents {
            json.beginObject()
            json.member("collection", written.name.collection)
            json.member("id", written.name.id)
            json.member("version", written.document.map { String($0.version) })
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}

/// One element of `writes`.
private struct WriteObject {
    let object: JSONObject
    let index: Int

    private static let members: Set<String> = ["collection", "id", "set", "patch", "delete", "ifMatch", "ifNoneMatch"]

    /// Reads an element of `writes`.
    ///
    /// - Throws: ``Refusal`` INVALID_WRITES for a value that is not an object or has unknown members.
    init(_ value: JSONValue, index: Int) throws {
        self.index = index
        guard let object = value.object else {
            throw Refusal(.invalidWrites, detail: "writes[\(index)] must be an object.")
        }
        self.object = object
        for member in object.members where !Self.members.contains(member.name) {
            throw refusal("may have only collection, id, set or patch or delete, ifMatch and ifNoneMatch")
        }
    }

    func write(within limits: DocumentLimits) throws -> DocumentWrite {
        guard let collection = object["collection"]?.string, let id = object["id"]?.string else {
            throw refusal("needs collection and id")
        }
        return DocumentWrite(
            try DocumentName(collection: collection, id: id),
            try change(within: limits),
            if: DocumentPrecondition(match: try versions("ifMatch"), noneMatch: try any("ifNoneMatch"))
        )
    }

    private func change(within limits: DocumentLimits) throws -> DocumentWrite.Change {
        switch (object["set"], object["patch"], object["delete"]) {
        case (.object(let content)?, nil, nil): return .set(try limits.content(content))
        case (nil, .object(let patch)?, nil): return .patch(patch)
        case (nil, nil, .bool(true)?): return .delete
        default: throw refusal("needs one of set (an object), patch (an object) and delete (true)")
        }
    }

    private func versions(_ name: String) throws -> DocumentPrecondition.Versions? {
        guard let value = object[name] else { return nil }
        if value == "*" { return .any }
        guard let version = EntityTags.version(value.string) else {
            throw refusal("\(name) must be a version as a string, or *")
        }
        return .of([version])
    }

    private func any(_ name: String) throws -> DocumentPrecondition.Versions? {
        guard let value = object[name] else { return nil }
        guard value == "*" else { throw refusal("\(name) must be *") }
        return .any
    }

    private func refusal(_ reason: String) -> Refusal {
        Refusal(.invalidWrites, detail: "writes[\(index)]: \(reason).")
    }
}
