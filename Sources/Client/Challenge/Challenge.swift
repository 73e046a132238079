/// A proof of work that a server asks for (`error.challenge`) before it serves a call.
struct Challenge: Decodable, Sendable, Equatable {
    /// The name of the only computation there is.
    static let knownAlgorithm = "SHA-256"
    /// The most zero bits that are worth computing: a server asks for 19 to 21.
    static let greatestDifficulty = 24

    let algorithm: String
    let challenge: String
    let difficulty: Int

    /// Whether this client can and will compute it.
    var isSolvable: Bool {
        algorithm == Self.knownAlgorithm && (0...Self.greatestDifficulty).contains(difficulty)
            && !challenge.isEmpty && challenge.utf8.count <= 512
            && challenge.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Finds the number which, after the challenge and a dot, makes a digest with enough zero bits.
    ///
    /// Computes in the background, 2^difficulty digests on average.
    ///
    /// - Returns: the value of `Challenge-Solution`.
    /// - Throws: ``AuthError/Code/cancelled`` when the task, or the caller that it works for, was cancelled.
    @concurrent
    func solved() async throws(AuthError) -> String {
        var hash = SHA256()
        hash.append("\(challenge).".utf8)
        var counter = 0
        while true {
            // Other tasks of the app share these threads.
            if counter.isMultiple(of: 16_384) {
                guard !Task.isCancelled, Cancellation.current?.isCancelled != true else { throw AuthError(.cancelled) }
                await Task.yield()
            }
            if Self.leadingZeroBits(of: hash.digest(appending: "\(counter)".utf8)) >= difficulty {
                return "\(challenge).\(counter)"
            }
            counter += 1
        }
    }

    private static func leadingZeroBits(of digest: SIMD8<UInt32>) -> Int {
        // The greatest difficulty fits in the first word.
        digest[0].leadingZeroBitCount
    }
}
