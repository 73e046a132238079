import DatabaseHarness

@testable import Database

/// The outcome of a writing closure, and its time in milliseconds.
struct Outcome {
    let kind: DatabaseError.Kind?
    let took: Int64
}

extension Database {
    /// Runs a writing closure.
    ///
    /// The outcome is recorded when it arrives, not when the test resumes, which other tests may delay.
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

/// Whether a condition becomes true soon; limited by attempts and not by time, because a test may resume late.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<750 {
        if (try? await condition()) == true { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}
