internal import JSON

/// The outcome of a write to one document.
package struct WrittenDocument: Sendable, Equatable {
    package let name: DocumentName
    /// The document after the write; `nil` if it was deleted or did not exist.
    package let document: Document?
    /// Whether the write created the document.
    package let isNew: Bool
}

/// The outcome of all writes of a call.
package struct WrittenDocuments: Sendable, Equatable {
    package let uid: String
    /// The outcome of each write, in the order of the writes.
    package let documents: [WrittenDocument]
    /// Whether any document was written or deleted, so that change streams should read again.
    package let hasChanges: Bool

    /// The total size of the documents that were written and not deleted, in bytes.
    package var bytes: Int { documents.reduce(0) { $0 + ($1.document?.bytes ?? 0) } }
}

extension AccountFlows {
    /// Reads a document of an ID token's user.
    ///
    /// - Throws: ``Refusal`` DOCUMENT_NOT_FOUND, or those of ``authenticate(_:in:)``.
    package func document(
        _ name: DocumentName,
        of token: PresentedToken,
        in store: some AccountStore
    ) throws -> Document {
        try store.prefetch { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.document(name, of: token.uid)
        }
        let (user, _) = try authenticate(token, in: store)
        guard let document = try store.document(name, of: user.uid) else { throw Refusal(.documentNotFound) }
        return document
    }

    /// Reads a page of the documents of an ID token's user, as
    /// ``DocumentStore/documents(of:in:after:limit:maximumBytes:)`` does.
    ///
    /// - Throws: ``Refusal``, as ``authenticate(_:in:)`` does.
    package func documents(
        of token: PresentedToken,
        in collection: String?,
        after last: DocumentName?,
        limit: Int,
        maximumBytes: Int,
        store: some AccountStore
    ) throws -> DocumentPage {
        try store.prefetch { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.documents(
                of: token.uid,
                in: collection,
                after: last,
                limit: limit,
                maximumBytes: maximumBytes
            )
        }
        let (user, _) = try authenticate(token, in: store)
        return try store.documents(
            of: user.uid,
            in: collection,
            after: last,
            limit: limit,
            maximumBytes: maximumBytes
        )
    }

    /// Writes documents of an ID token's user, all or none; the caller makes sure that no name appears twice.
    ///
    /// Every document that is written or deleted gets the next change number, even if its content stays the same.
    /// Deleting a document that does not exist changes nothing.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, PRECONDITION_FAILED, INVALID_DOCUMENT, DOCUMENT_TOO_LARGE,
    ///   TOO_MANY_DOCUMENTS, DOCUMENT_QUOTA_EXCEEDED, or those of ``authenticate(_:in:)``.
    package func write(
        _ writes: [DocumentWrite],
        of token: PresentedToken,
        in store: some AccountStore
    ) throws -> WrittenDocuments {
        try store.prefetch { store in
            // First, so that the documents are read under the lock of their user.
            _ = try store.lockedSessionAndUser(token.sid, for: .writing)
            for write in writes {
                if case .patch = write.change {
                    _ = try store.document(write.name, of: token.uid)
                } else {
                    _ = try store.documentState(write.name, of: token.uid)
                }
            }
        }
        let locked = try store.lockedSessionAndUser(token.sid, for: .writing)
        let (user, _) = try authenticate(token, as: locked, in: store)
        guard user.mergeID == nil else { throw Refusal(.mergeInProgress, retryAfter: 1) }
        var patchedBytes = 0
        let steps = try writes.map { write in
            let step = try step(write, of: user.uid, in: store)
            if case .patch = write.change {
                patchedBytes += max(step.before?.bytes ?? 0, step.content?.utf8.count ?? 0)
                try policy.documents.check(patchedBytes: patchedBytes, writes: writes.count)
            }
            return step
        }
        let changes = steps.reduce(into: DocumentChanges()) { $0.add($1) }
        guard changes.count > 0 else {
            return WrittenDocuments(uid: user.uid, documents: steps.map { $0.done(nil) }, hasChanges: false)
        }
        let usage = try store.count(changes, of: user.uid)
        try policy.documents.check(usage, after: changes, isGuest: user.isAnonymous)
        if usage.isAuditDue {
            let collections = Set(steps.filter(\.isChange).map(\.name.collection)).sorted().prefix(Self.mostAudited)
            try audit(.documentsChanged, uid: user.uid, detail: collections.joined(separator: " "), in: store)
        }
        var number = usage.changeNumber - Int64(changes.count)
        let documents = try steps.map { step in
            guard step.isChange else { return step.done(nil) }
            number += 1
            return step.done(try perform(step, number: number, of: user.uid, in: store))
        }
        try forgetChanges(
            of: user.uid,
            from: usage.changeNumber - Int64(changes.count),
            to: usage.changeNumber,
            in: store
        )
        return WrittenDocuments(uid: user.uid, documents: documents, hasChanges: true)
    }

    /// The maximum number of collections that an entry of the audit log names.
    private static let mostAudited = 5

    /// Deletes the records of all but the user's last ``DocumentLimits/resumableChanges`` changes, when the change
    /// number passes a multiple of a hundred.
    ///
    /// A client that writes endlessly therefore leaves few more records than these.
    private func forgetChanges(of uid: String, from first: Int64, to last: Int64, in store: some AccountStore) throws {
        let kept = DocumentLimits.resumableChanges
        guard last > kept, last / 100 > first / 100 else { return }
        try store.deleteChanges(of: uid, through: last - kept)
    }

    /// Determines what a write does to the current document, and checks its precondition.
    ///
    /// - Throws: ``Refusal`` PRECONDITION_FAILED; for a patch also INVALID_DOCUMENT, DOCUMENT_TOO_LARGE.
    private func step(_ write: DocumentWrite, of uid: String, in store: some AccountStore) throws -> DocumentStep {
        switch write.change {
        case .set(let content):
            let state = try store.documentState(write.name, of: uid)
            try check(write, state?.version)
            return DocumentStep(name: write.name, before: state, content: content)
        case .delete:
            let state = try store.documentState(write.name, of: uid)
            try check(write, state?.version)
            return DocumentStep(name: write.name, before: state, content: nil)
        case .patch(let patch):
            let document = try store.document(write.name, of: uid)
            try check(write, document?.version)
            return DocumentStep(
                name: write.name,
                before: document.map { DocumentState(version: $0.version, bytes: $0.bytes) },
                content: try policy.documents.content(object(of: document).merging(patch: patch))
            )
        }
    }

    private func check(_ write: DocumentWrite, _ version: Int64?) throws {
        guard write.precondition.holds(for: version) else {
            let state =
                if version == nil { "does not exist" } else if write.precondition.noneMatch == .any {
                    "exists already"
                } else {
                    "has changed; read it again"
                }
            throw Refusal(.preconditionFailed, detail: "\(write.name) \(state).")
        }
    }

    /// Returns the content of a document; an empty object for `nil`.
    private func object(of document: Document?) throws -> JSONObject {
        guard let document else { return JSONObject() }
        // Stored content was within the limits that applied when it was stored.
        let value = try JSONValue.parse(document.content, maximumDepth: JSONValue.deepestNesting)
        return value.object ?? JSONObject()
    }

    private func perform(
        _ step: DocumentStep,
        number: Int64,
        of uid: String,
        in store: some AccountStore
    ) throws -> Document? {
        guard let content = step.content else {
            try store.deleteDocument(step.name, of: uid, number: number)
            return nil
        }
        let document = Document(name: step.name, content: content, version: number, updatedAt: store.now)
        try store.put(document, of: uid)
        return document
    }
}

/// A write to one document, with the document's state before and the content after it.
private struct DocumentStep {
    let name: DocumentName
    let before: DocumentState?
    /// The new content; `nil` if the document is deleted.
    let content: String?

    var isChange: Bool { before != nil || content != nil }

    func done(_ document: Document?) -> WrittenDocument {
        WrittenDocument(name: name, document: document, isNew: before == nil && document != nil)
    }
}

extension DocumentChanges {
    fileprivate mutating func add(_ step: DocumentStep) {
        guard step.isChange else { return }
        count += 1
        addedDocuments += (step.content == nil ? 0 : 1) - (step.before == nil ? 0 : 1)
        addedBytes += (step.content?.utf8.count ?? 0) - (step.before?.bytes ?? 0)
    }
}
