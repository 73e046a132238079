internal import Synchronization

extension Auth {
    /// Runs work that may change the session, while no other such work runs on this object or its store.
    ///
    /// The state is loaded from the store first. The work runs to its end even if the calling task is cancelled.
    ///
    /// Code called from `work` must not call this method again, because it would wait for itself forever.
    ///
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws; ``AuthError/Code/storageFailed`` when the store cannot be locked or read.
    func exclusively<T: Sendable>(
        _ work: @escaping @Sendable () async throws(AuthError) -> T
    ) async throws(AuthError) -> T {
        // A separate task: cancelling the caller must not interrupt a redemption, but may end a proof of work.
        let cancellation = Cancellation()
        let task = Task { await Cancellation.$current.withValue(cancellation) { await self.result(of: work) } }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    /// Does the same as ``exclusively(_:)``, but in the calling task.
    ///
    /// Call it only in a task that is not cancelled when the app's task is.
    ///
    /// - Returns: what `work` returns, or the error that ``exclusively(_:)`` throws.
    func result<T: Sendable>(
        of work: @escaping @Sendable () async throws(AuthError) -> T
    ) async -> Result<T, AuthError> {
        await gate.pass {
            do {
                return try await store.exclusively {
                    do throws(AuthError) {
                        try self.catchUp()
                        return .success(try await work())
                    } catch {
                        return Result<T, AuthError>.failure(error)
                    }
                }
            } catch {
                return .failure(AuthError(.storageFailed, detail: "\(error)"))
            }
        }
    }

    /// Changes the state in memory, notifies the listeners, and saves the new state in the store.
    ///
    /// - Throws: ``AuthError/Code/storageFailed`` when the state cannot be saved. The state in memory has changed even
    ///   so, and the next call of ``exclusively(_:)`` tries to save it again.
    func commit(_ change: (inout PersistedState) -> Void) throws(AuthError) {
        let persisted = memory.withLock { memory in
            memory.replace(with: change)
            return memory.persisted
        }
        do {
            try store.save(persisted)
            memory.withLock { $0.isUnsaved = false }
        } catch {
            memory.withLock { $0.isUnsaved = true }
            throw AuthError(.storageFailed, detail: "\(error)")
        }
    }

    /// Loads changes that another process stored meanwhile, or stores changes that could not be stored before.
    private func catchUp() throws(AuthError) {
        guard memory.withLock({ !$0.isUnsaved }) else {
            try? commit { _ in }
            return
        }
        do {
            let persisted = try store.load()
            memory.withLock { $0.replace { $0 = persisted } }
        } catch {
            throw AuthError(.storageFailed, detail: "\(error)")
        }
    }
}

extension Auth.Memory {
    /// Changes the state in memory, and notifies the listeners if the signed-in user changed.
    ///
    /// Called under the lock, so that every listener receives the changes in order.
    mutating func replace(with change: (inout PersistedState) -> Void) {
        let old = state
        change(&persisted)
        let new = state
        guard new != old else { return }
        for listener in listeners.values { listener.yield(new) }
    }
}
