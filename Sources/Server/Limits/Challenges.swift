internal import Accounts
internal import HTTPServer
internal import Tokens

// Proof of work for clients whose network has used up its free budget while the installation creates many guests.
extension Services {
    /// The zero bits of the easiest challenge: 2^19 = 524 288 digests on average.
    ///
    /// A phone computes about a million digests of this length a second in one thread, so this is half a second.
    package static let leastChallengeDifficulty = 19
    /// While many guests are created, one part in this number of a network's budget is free of challenges.
    private static let shareUnderLoad = 4

    /// Counts a call against the budget of its client's networks, and demands a solved challenge if one is due.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - request: the request, perhaps with a solution.
    ///   - limiter: the budgets for such calls.
    /// - Returns: the solved challenge, which the call's transaction must mark as used; `nil` if the request has no
    ///   valid solution and needs none.
    /// - Throws: ``Refusal`` CHALLENGE_REQUIRED, or TOO_MANY_ATTEMPTS_TRY_LATER beyond the whole budget.
    func admit(
        _ call: Challenge.Call,
        _ request: Request,
        to limiter: ClientLimiter
    ) throws -> ChallengePayment? {
        let now = clock()
        let client = request.clientAddress
        if let payment = try payment(for: call, request, at: now) {
            try limiter.use(client, at: now)
            return payment
        }
        switch configuration.clientLimits.challenge {
        case .load where createsManyGuests(at: now):
            do {
                try limiter.use(client, at: now, dividedBy: Self.shareUnderLoad)
            } catch {
                guard limiter.hasRoom(for: client, at: now) else { throw error }
                throw try challengeRequired(for: call, request, at: now)
            }
        case .always:
            try limiter.check(client, at: now)
            throw try challengeRequired(for: call, request, at: now)
        case .load, .off:
            try limiter.use(client, at: now)
        }
        return nil
    }

    /// Returns the valid solution in a request, with the challenge to send if the solution was already used; `nil`
    /// without a valid one.
    private func payment(
        for call: Challenge.Call,
        _ request: Request,
        at now: Int64
    ) throws -> ChallengePayment? {
        guard configuration.clientLimits.challenge != .off, let solution = request.header("Challenge-Solution") else {
            return nil
        }
        let client = try clientHash(of: request)
        let found = try Challenge.verify(solution, call: call, client: client, now: now / 1000, secrets: secrets)
        guard let solved = found else { return nil }
        return ChallengePayment(solved: solved, next: try challenge(for: call, request, at: now))
    }

    private func challengeRequired(for call: Challenge.Call, _ request: Request, at now: Int64) throws -> Refusal {
        Refusal(.challengeRequired, limit: "challenge", challenge: try challenge(for: call, request, at: now))
    }

    private func challenge(for call: Challenge.Call, _ request: Request, at now: Int64) throws -> Challenge {
        try Challenge(
            id: try .random(),
            call: call,
            client: try clientHash(of: request),
            difficulty: difficulty(at: now),
            now: now / 1000,
            secrets: secrets
        )
    }

    private func createsManyGuests(at now: Int64) -> Bool {
        installation.guests.used(at: now) >= Int64(configuration.clientLimits.guestsPerMinute)
    }

    /// The zero bits that a challenge requires now.
    ///
    /// Each bit doubles the work. At twice the configured guests per minute a challenge requires one more bit than
    /// usual, at four times as many two more.
    private func difficulty(at now: Int64) -> Int {
        let load = installation.guests.used(at: now) / Int64(configuration.clientLimits.guestsPerMinute)
        return challengeDifficulty + (load >= 4 ? 2 : load >= 2 ? 1 : 0)
    }
}
