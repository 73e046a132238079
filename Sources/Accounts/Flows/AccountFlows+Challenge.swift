package import Tokens

/// A solved challenge that pays for one call.
package struct ChallengePayment: Sendable {
    /// What has to be spent.
    package let solved: SolvedChallenge
    /// What the client gets where it was spent before.
    package let next: Challenge

    /// Puts the two together.
    package init(solved: SolvedChallenge, next: Challenge) {
        self.solved = solved
        self.next = next
    }
}

extension AccountFlows {
    /// Spends what pays for a call, in the transaction of what it pays for.
    ///
    /// - Throws: ``Refusal`` CHALLENGE_REQUIRED with the next challenge where it was spent before.
    package func spend(_ payment: ChallengePayment?, in store: some AccountStore) throws {
        guard let payment else { return }
        guard try store.spendToken(payment.solved.digest, until: payment.solved.spentUntil) else {
            throw Refusal(.challengeRequired, limit: "challenge", challenge: payment.next)
        }
    }
}
