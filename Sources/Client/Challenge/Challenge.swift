/// A proof of work that a server requires (`error.challenge`) before it serves a call.
struct Challenge: Decodable, Sendable, Equatable {
    /// The only supported algorithm.
    static let knownAlgorithm = "SHA-256"
    /// The maximum number of zero bits that this client computes.
    ///
    /// A server requires 19 to 21.
    static let greatestDifficulty = 24

    let algorithm: String
    let challenge: String
    let difficulty: Int

    /// Whether this client supports the challenge and accepts its difficulty.
    var isSolvable: Bool {
        algorithm == Self.knownAlgorithm && (0...Self.greatestDifficulty).contains(difficulty)
            && !challenge.isEmpty && challenge.utf8.count <= 512
            && challenge.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Finds the number which, after the challenge and a dot, makes a digest that begins with `difficulty` zero bits.
    ///
    /// Computes in the background, 2^difficulty digests on average.
    ///
    /// - Returns: the challenge, a dot and the number: the value of the header field `Challenge-Solution`.
    /// - Throws: ``AuthError/Code/cancelled`` when the task, or the caller that it works for, was cancelled.
    @concurrent
    func solved() async throws(AuthError) -> String {
        var hash = SHA256()
        hash.append("\(challenge).".utf8)
        var counter = 0
        while true {
            // Other tasks of the app share this thread pool.
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
