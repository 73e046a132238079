package import Tokens

/// A solved challenge that pays for one call.
package struct ChallengePayment: Sendable {
    /// The verified solution, which the payment uses up.
    package let solved: SolvedChallenge
    /// The fresh challenge to send to the client if the solution was spent before.
    package let next: Challenge

    /// Makes a payment from its parts.
    package init(solved: SolvedChallenge, next: Challenge) {
        self.solved = solved
        self.next = next
    }
}

extension AccountFlows {
    /// Spends the solution of a challenge, in the transaction that it pays for; does nothing for `nil`.
    ///
    /// - Throws: ``Refusal`` CHALLENGE_REQUIRED with the next challenge if the solution was spent before.
    package func spend(_ payment: ChallengePayment?, in store: some AccountStore) throws {
        guard let payment else { return }
        guard try store.spendToken(payment.solved.digest, until: payment.solved.spentUntil) else {
            throw Refusal(.challengeRequired, limit: "challenge", challenge: payment.next)
        }
    }
}
