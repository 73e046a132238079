@testable import Database

/// How a closure that writes ended, and after how many milliseconds.
struct Outcome {
    let kind: DatabaseError.Kind?
    let took: Int64
}

extension Database {
    /// Runs a closure that writes.
    ///
    /// Its end is looked at as it comes, and not once the test gets its turn again, which others may hold up.
    func outcome(of body: @escaping @Sendable (Transaction) throws -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let began = Deadline.now
            write(body) { result in
                var kind: DatabaseError.Kind?
                if case .failure(let error) = result { kind = (error as? DatabaseError)?.kind ?? .internal }
                continuation.resume(returning: Outcome(kind: kind, took: Deadline.now - began))
            }
        }
    }
}

/// Whether something comes true soon, counted in looks: a test may get its turn late.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<750 {
        if (try? await condition()) == true { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}
