internal import Crypto
internal import Tokens

extension AccountFlows {
    /// Refuses a sign-in code that may not be compared yet; reads and counts nothing.
    ///
    /// - Throws: ``Refusal`` MAIL_PENDING while the ticket's e-mail is queued, whether the code is right or wrong;
    ///   CODE_PAUSED if the node remembers the ticket's breaker as full, except for a review address.
    func requireComparableCode(of ticket: Ticket, _ pauses: CodePauses, in store: some AccountStore) throws {
        guard ticket.mailState != .queued else { throw Refusal(.mailPending, retryAfter: 1) }
        guard !isReview(ticket, in: store), let end = pauses.end(of: ticket.breaker, at: store.now) else { return }
        throw Refusal(codePausedUntil: end, at: store.now)
    }

    /// The name of the counter of wrong sign-in codes (``Policy/wrongCodesPerAddress``) for a ticket's address together
    /// with the client that requested the ticket.
    ///
    /// The client is part of the name, because guesses on another client's tickets must not use up the owner's
    /// attempts.
    func wrongCodes(of ticket: Ticket) throws -> String {
        "\(try wrongCodesName(of: ticket.email)):\(ticket.asking.client)"
    }

    /// The beginning of the names of the counters of wrong sign-in codes for an address.
    func wrongCodesName(of email: String) throws -> String {
        "wrong-codes:\(try KeyedHash.make(email, purpose: "limits", secrets: secrets))"
    }

    /// Compares a sign-in code with a ticket's.
    ///
    /// A wrong code counts against the ticket, against its address and asking client, and in its breaker. The last one
    /// that ``Policy/wrongCodesPerTicket`` allows ends the ticket.
    ///
    /// - Returns: the refusal INVALID_SIGN_IN_CODE, whose transaction must commit because it counts the code, or
    ///   CODE_PAUSED; `nil` if the code is right.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, TICKET_ENDED.
    func check(_ code: String, of ticket: Ticket, in store: some AccountStore) throws -> TicketOutcome? {
        let perAddress = policy.wrongCodesPerAddress
        // Before the code is compared, because otherwise the time of an answer would tell whether a code is right. The
        // counters are known only with the ticket, so this costs a round trip.
        try store.prefetch { store in
            _ = try store.used(wrongCodes(of: ticket), in: perAddress.window)
            _ = try store.used(ticket.breaker.counter, in: CodeBreaker.window)
        }
        let before = try store.used(try wrongCodes(of: ticket), in: perAddress.window)
        guard before.used < perAddress.count else {
            throw tooMany(before.untilReset, limit: "limits.wrongCodesPerAddress")
        }
        if let full = try fullBreaker(of: ticket, in: store) {
            return .refused(Refusal(codePausedUntil: full.end, at: store.now), fullBreaker: full)
        }
        guard ticket.wrongCodes < policy.wrongCodesPerTicket else { throw Refusal(.ticketEnded) }
        guard !(try isRight(code, for: ticket, in: store)) else { return nil }

        var guessed = ticket
        guessed.wrongCodes += 1
        if guessed.wrongCodes >= policy.wrongCodesPerTicket {
            guessed.state = .ended
            guessed.settledAt = store.now
        }
        _ = try store.update(guessed, from: ticket.state)
        if guessed.state == .ended {
            try store.trace(TraceEntry(.ended, of: ticket.id, detail: "wrong codes"))
        }
        _ = try store.count(try wrongCodes(of: ticket), in: perAddress.window)
        return .refused(Refusal(.invalidSignInCode), fullBreaker: try countWrongCode(of: ticket, in: store))
    }

    /// The breaker of a ticket's codes (``CodeBreaker``); `nil` if it is not full, and for a review address, which has
    /// a code of its own.
    func fullBreaker(of ticket: Ticket, in store: some AccountStore) throws -> FullBreaker? {
        guard !isReview(ticket, in: store) else { return nil }
        return fullBreaker(ticket.breaker, try store.used(ticket.breaker.counter, in: CodeBreaker.window), in: store)
    }

    /// Counts a wrong code in the ticket's breaker, and returns the breaker if it is full now; does nothing for a
    /// review address.
    ///
    /// Must come last in its transaction, because all nodes wait for one another at this row.
    private func countWrongCode(of ticket: Ticket, in store: some AccountStore) throws -> FullBreaker? {
        guard !isReview(ticket, in: store) else { return nil }
        return fullBreaker(ticket.breaker, try store.count(ticket.breaker.counter, in: CodeBreaker.window), in: store)
    }

    private func fullBreaker(
        _ breaker: CodeBreaker,
        _ counted: (used: Int64, untilReset: Int64),
        in store: some AccountStore
    ) -> FullBreaker? {
        guard counted.used >= policy.wrongCodesPerMinute else { return nil }
        return FullBreaker(breaker: breaker, end: store.now + counted.untilReset)
    }

    private func isReview(_ ticket: Ticket, in store: some AccountStore) -> Bool {
        reviewAddress(ticket.email, at: store.now) != nil
    }

    private func isRight(_ code: String, for ticket: Ticket, in store: some AccountStore) throws -> Bool {
        if let review = reviewAddress(ticket.email, at: store.now) {
            return constantTimeEqual([UInt8](code.utf8), [UInt8](review.code.utf8))
        }
        guard ticket.mailState != .none else { return false }
        return try isSignInCode(code, of: ticket)
    }
}

extension Refusal {
    /// Makes the refusal CODE_PAUSED for a pause that lasts until a time, in milliseconds since 1970.
    package init(codePausedUntil end: Int64, at now: Int64) {
        self.init(
            .codePaused,
            retryAfter: max(1, Int((end - now + 999) / 1000)),
            limit: "limits.wrongCodesPerMinute"
        )
    }
}
