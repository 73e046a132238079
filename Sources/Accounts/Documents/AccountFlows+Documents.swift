internal import JSON

/// What came of a write.
package struct WrittenDocument: Sendable, Equatable {
    package let name: DocumentName
    /// The document as it is now; `nil` where it was deleted.
    package let document: Document?
    /// Whether there was none before.
    package let isNew: Bool
}

/// What came of all writes of a call.
package struct WrittenDocuments: Sendable, Equatable {
    package let uid: String
    /// In the order of the writes.
    package let documents: [WrittenDocument]
    /// Whether anything changed, so that listeners should look.
    package let hasChanges: Bool

    /// The bytes of the documents that were written.
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
        try store.foresee { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.document(name, of: token.uid)
        }
        let (user, _) = try authenticate(token, in: store)
        guard let document = try store.document(name, of: user.uid) else { throw Refusal(.documentNotFound) }
        return document
    }

    /// Reads a page of the documents of an ID token's user.
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
        try store.foresee { store in
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

    /// Writes documents of an ID token's user, all or none; each must be another one.
    ///
    /// Every document that is written or deleted gets the next change number. Deleting what is not there changes nothing.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, PRECONDITION_FAILED, those of ``DocumentLimits``, or those of
    ///   ``authenticate(_:in:)``.
    package func write(
        _ writes: [DocumentWrite],
        of token: PresentedToken,
        in store: some AccountStore
    ) throws -> WrittenDocuments {
        try store.foresee { store in
            _ = try store.sessionAndUser(token.sid)
            for write in writes {
                if case .patch = write.change {
                    _ = try store.document(write.name, of: token.uid)
                } else {
                    _ = try store.documentState(write.name, of: token.uid)
                }
            }
        }
        let (user, _) = try authenticate(token, in: store)
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

    /// Forgets the changes that are too many for a listener to resume from, a hundred at a time, so that whoever writes
    /// without end leaves no more of them behind than that.
    private func forgetChanges(of uid: String, from first: Int64, to last: Int64, in store: some AccountStore) throws {
        let kept = DocumentLimits.resumableChanges
        guard last > kept, last / 100 > first / 100 else { return }
        try store.deleteChanges(of: uid, through: last - kept)
    }

    /// Finds out what a write does to the document as it is.
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

    /// What a document holds; nothing where there is none.
    private func object(of document: Document?) throws -> JSONObject {
        guard let document else { return JSONObject() }
        // What is stored was within the limits of its day.
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

/// A write whose effect is known.
private struct DocumentStep {
    let name: DocumentName
    let before: DocumentState?
    /// What the document will hold; `nil` where it will be gone.
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
