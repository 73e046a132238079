extension Documents {
    /// Listens to the changes of the user's documents, on whichever device they are made.
    ///
    /// ```swift
    /// for try await event in auth.documents.listen() {
    ///     switch event {
    ///     case .ready, .reset: try await readAll()
    ///     case .changed(let document): show(document)
    ///     case .deleted(let path, _): remove(path)
    ///     case .ended: break
    ///     }
    /// }
    /// ```
    ///
    /// A connection that breaks is made anew, and goes on where it was: no change is left out, none is told twice, and of
    /// changes that followed on each other while it was broken the last of each document is told. Tokens are renewed on the
    /// way, also when an anonymous user gets an address and goes on under the same UID. It ends with ``DocumentEvent/ended``
    /// when the user's session is over, or the user was merged into another one.
    ///
    /// - Parameters:
    ///   - collection: Which documents; `nil` for all.
    ///   - number: Where to go on from, ``DocumentEvent/number`` of the last event that was seen; `nil` begins with
    ///     ``DocumentEvent/ready(number:)``.
    /// - Returns: The events. Each loop over them listens for itself, and stops when it is left or its task is cancelled. It
    ///   throws when the first connection fails; ``AuthError/Code/tooManyStreams`` among others.
    public func listen(in collection: String? = nil, after number: Int64? = nil) -> DocumentEvents {
        DocumentEvents(auth: auth, collection: collection, number: number)
    }
}

/// The changes of a user's documents.
public struct DocumentEvents: AsyncSequence, Sendable {
    let auth: Auth
    let collection: String?
    let number: Int64?

    /// Begins to listen with the first question for an event.
    public func makeAsyncIterator() -> Iterator {
        Iterator(listener: DocumentListener(auth: auth, collection: collection, number: number))
    }

    /// Where one is in the changes.
    public struct Iterator: AsyncIteratorProtocol {
        var listener: DocumentListener

        /// Waits for the next event; `nil` after the end, or when the task is cancelled.
        public mutating func next() async throws(AuthError) -> DocumentEvent? {
            try await listener.next()
        }
    }
}
