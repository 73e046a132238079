internal import Database
internal import Server
internal import Synchronization

/// A database that rolls every write back after it has returned, so that every input sees the same state.
struct DryRunDatabase: Database {
    private struct Undo: Error {}

    let base: any Database

    var now: Int64 { base.now }
    var isLocal: Bool { base.isLocal }
    var health: DatabaseHealth { base.health }

    func lease<T: Sendable>(
        _ kind: String,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        write(kind, alone: false, body, completion: completion)
    }

    func write<T: Sendable>(
        _ kind: String,
        alone: Bool,
        isolation: Isolation,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let answer = Mutex<Result<T, any Error>?>(nil)
        do {
            try base.writeNow { transaction in
                let result = Result { try body(transaction) }
                answer.withLock { $0 = result }
                throw Undo()
            }
        } catch is Undo {
            completion(must { answer.withLock { $0 } })
        } catch {
            completion(.failure(error))
        }
    }

    func read<T: Sendable>(
        _ kind: String,
        snapshot: Bool,
        mayLag: Bool,
        _ body: @escaping @Sendable (Transaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        base.read(kind, snapshot: snapshot, mayLag: mayLag, body, completion: completion)
    }

    func readNow<T>(snapshot: Bool, _ body: (Transaction) throws -> T) throws -> T {
        try base.readNow(snapshot: snapshot, body)
    }

    func backup(to path: String, replacing: Bool) throws {
        try base.backup(to: path, replacing: replacing)
    }

    func close() {
        base.close()
    }
}
