internal import Synchronization

extension Auth {
    /// Runs work that may change the session: alone, on what the store holds now, and to its end.
    ///
    /// Everything called from `work` is already inside and must not come back here.
    func exclusively<T: Sendable>(
        _ work: @escaping @Sendable () async throws(AuthError) -> T
    ) async throws(AuthError) -> T {
        // A task of its own: cancelling the caller must not cut a redemption in half, but may end a proof of work.
        let cancellation = Cancellation()
        let task = Task { await Cancellation.$current.withValue(cancellation) { await self.result(of: work) } }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    /// The same for callers that have a task of their own already.
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

    /// Replaces what is remembered and stored.
    ///
    /// What was gained is remembered even when it cannot be stored.
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

    /// Takes over what another process stored meanwhile, or stores at last what could not be stored before.
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
    /// Changes what is remembered, and tells the listeners when that changes who is signed in.
    ///
    /// Under the lock, so that every listener sees the changes in their order.
    mutating func replace(with change: (inout PersistedState) -> Void) {
        let old = state
        change(&persisted)
        let new = state
        guard new != old else { return }
        for listener in listeners.values { listener.yield(new) }
    }
}
