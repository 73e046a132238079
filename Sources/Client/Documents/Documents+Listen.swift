extension Documents {
    /// Listens to changes of the user's documents, on all devices.
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
    /// A broken connection is re-established and continues where it was. No change is left out or reported twice, but
    /// of several changes of a document during the interruption only the last is reported. Tokens are renewed
    /// automatically, even when an anonymous user gets an address and keeps the UID. Listening ends with
    /// ``DocumentEvent/ended`` when the user's session ends, or the user is merged into another one.
    ///
    /// - Parameters:
    ///   - collection: the collection; `nil` for all.
    ///   - number: where to continue: ``DocumentEvent/number`` of the last event that was processed. `nil` starts with
    ///     ``DocumentEvent/ready(number:)``.
    ///   - onAccount: called when something about the user's account has changed, such as on another device. Look the
    ///     user up then, with ``Auth/reload()``, and also when listening begins, because events are lost while there is
    ///     no connection. The next event waits until the call has returned.
    /// - Returns: the events. Each loop over them listens separately, and stops when the loop ends or its task is
    ///   cancelled. The loop throws when the first connection fails, with ``AuthError/Code/tooManyStreams`` among
    ///   others, and later for permanent errors that are not the end of the session.
    public func listen(
        in collection: String? = nil,
        after number: Int64? = nil,
        onAccount: (@Sendable (AccountEvent) async -> Void)? = nil
    ) -> DocumentEvents {
        DocumentEvents(auth: auth, collection: collection, number: number, onAccount: onAccount)
    }
}

/// The changes of a user's documents.
public struct DocumentEvents: AsyncSequence, Sendable {
    let auth: Auth
    let collection: String?
    let number: Int64?
    let onAccount: (@Sendable (AccountEvent) async -> Void)?

    /// Starts listening when the first event is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            listener: DocumentListener(auth: auth, collection: collection, number: number, onAccount: onAccount)
        )
    }

    /// One loop over the changes, with its own connection.
    public struct Iterator: AsyncIteratorProtocol {
        var listener: DocumentListener

        /// Waits for the next event; `nil` after the end, or when the task is cancelled.
        public mutating func next() async throws(AuthError) -> DocumentEvent? {
            try await listener.next()
        }
    }
}
