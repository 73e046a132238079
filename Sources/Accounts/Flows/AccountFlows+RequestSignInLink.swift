package import Tokens

/// A request for a sign-in e-mail, decoded.
package struct SignInLinkRequest: Sendable {
    package let email: EmailAddress
    package let token: PresentedToken?
    package let asking: AskingDevice
    package let continueURL: String?
    package let traffic: MailTraffic
    package let ids: MailIDs
    /// Whether the e-mail shows the sign-in code beside the link.
    package var showsCode = true
    /// What authorized an administrator to send this request; `nil` if a client asks for itself.
    ///
    /// If set, giving the token's user another address needs no recent sign-in.
    package var authority: AdministratorAuthority?

    /// Makes a request from its decoded parts; `asking` gets its session from `token`.
    package init(
        email: EmailAddress,
        token: PresentedToken?,
        asking: AskingDevice,
        continueURL: String?,
        traffic: MailTraffic = MailTraffic(),
        ids: MailIDs
    ) {
        self.email = email
        self.token = token
        self.asking = asking
        self.continueURL = continueURL
        self.traffic = traffic
        self.ids = ids
    }
}

/// The random identifiers that an e-mail with a link needs, drawn before the transaction that queues it.
package struct MailIDs: Sendable {
    package let ticket: TokenID
    package let actionCode: TokenID
    package let mail: TokenID

    /// Uses given identifiers, for tests that need the same ones in every run.
    package init(ticket: TokenID, actionCode: TokenID, mail: TokenID) {
        self.ticket = ticket
        self.actionCode = actionCode
        self.mail = mail
    }

    /// Draws fresh identifiers.
    ///
    /// - Throws: an error if the system cannot supply random numbers.
    package init() throws {
        ticket = try .random()
        actionCode = try .random()
        mail = try .random()
    }
}

extension AccountFlows {
    /// Queues a sign-in e-mail and opens the ticket that owns its link and its code; for a review address
    /// (``ReviewAddress``), opens the ticket without an e-mail.
    ///
    /// Reads no account by address, so that the caller cannot learn whether the address has one (invariant 5).
    ///
    /// - Returns: the ticket.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED, TOO_MANY_ATTEMPTS_TRY_LATER, CREDENTIAL_TOO_OLD_LOGIN_AGAIN, or
    ///   those of ``authenticate(_:in:)``.
    package func requestSignInLink(_ request: SignInLinkRequest, in store: some AccountStore) throws -> Ticket {
        guard policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        // The ticket belongs to the user, and the counters come after users in the order of locks.
        if let token = request.token { try store.lockUsers([token.uid]) }
        var asking = request.asking
        let email = request.email.canonical
        let isReview = reviewAddress(email, at: store.now) != nil
        let asker = try countMail(
            to: email,
            from: asking.client,
            isExempt: request.traffic.isExempt,
            by: request.token,
            in: store
        )
        asking.uid = asker.presented?.user.uid
        asking.sid = asker.presented?.session.sid
        let rank = try isReview ? nil : rank(request.traffic, for: asker.standing, in: store)
        if asker.isAdministrator, asker.presented?.user.email != email { throw Refusal.protectsAdministrator }
        let isJudged =
            try request.authority != nil
            || asker.presented.map { try judge(linking: email, to: $0, in: store) } ?? false
        var ticket = ticket(of: request, asking, asker.standing, isQueued: rank != nil, at: store.now)
        ticket.judgedAt = isJudged ? store.now : nil
        if let rank {
            try count(rank, of: asker.presented?.session, in: store)
            if request.traffic.isAdministrators { try endSuppression(of: email, in: store) }
        }
        try open(ticket, rank, for: request, in: store)
        if request.authority != nil {
            // An administrator may look up who has the address (invariant 5 is about clients).
            let uid = try asking.uid ?? store.user(email: email)?.uid
            try audit(.mailRequested, uid: uid, detail: ActionPurpose.emailSignIn.requestType, in: store)
        }
        return ticket
    }

    private func ticket(
        of request: SignInLinkRequest,
        _ asking: AskingDevice,
        _ standing: AskerStanding,
        isQueued: Bool,
        at now: Int64
    ) -> Ticket {
        var ticket = Ticket(
            id: request.ids.ticket.text,
            keyID: secrets.newest.keyID,
            email: request.email.canonical,
            mailState: isQueued ? .queued : .none,
            asking: asking,
            continueURL: request.continueURL,
            createdAt: now,
            expiresAt: now + policy.signInLinkLife,
            trustedAt: standing.isTrusted ? now : nil
        )
        ticket.linkOnlyAt = request.showsCode ? nil : now
        return ticket
    }

    /// Queues the sign-in e-mails of several requests that present no session, like ``requestSignInLink(_:in:)``, and
    /// adds up the counters that they share.
    ///
    /// A request gets its own place in each sum, in the order of the requests. A refused one counts in no counter.
    ///
    /// - Returns: the outcome of each request, in order; `nil` for a request that must go alone, because its client gets
    ///   few e-mails after denials (``throttle(of:)``).
    package func requestSignInLinks(
        _ requests: [SignInLinkRequest],
        in store: some AccountStore
    ) throws -> [Result<Ticket, any Error>?] {
        guard policy.emailLinkSignIn else { return requests.map { _ in .failure(Refusal.emailSignInIsOff) } }
        let mails = try requests.map { request in
            try MailRequest(
                to: request.email.canonical,
                from: request.asking.client,
                isExempt: request.traffic.isExempt,
                sid: nil,
                flows: self,
                at: store.now
            )
        }
        let rises = mails.map(\.rise), denials = Set(mails.flatMap(\.denials)).sorted()
        let (summed, running) = try store.raise(rises, since: store.now - KnownClient.life) { store in
            try store.counters(denials)
        }
        var shares = CounterShares(summed, of: rises)
        let results = try zip(requests, mails).enumerated().map { place, each -> Result<Ticket, any Error>? in
            let (request, mail) = each
            guard !running.contains(where: { $0.name == mail.throttle }) else {
                shares.count(place, isAccepted: false)
                return nil
            }
            let result = try ticket(of: request, mail, shares.raised(at: place), running, in: store)
            shares.count(place, isAccepted: (try? result.get()) != nil)
            return result
        }
        try store.giveBack(shares.unused)
        return results
    }

    /// Opens the ticket of one of several requests.
    ///
    /// - Returns: the ticket, or the ``Refusal``, with which nothing was written.
    private func ticket(
        of request: SignInLinkRequest,
        _ mail: MailRequest,
        _ raised: RaisedCounters,
        _ running: [RunningCounter],
        in store: some AccountStore
    ) throws -> Result<Ticket, any Error> {
        let standing: AskerStanding, rank: MailRank?
        do {
            standing = try check(mail, raised, running, presented: nil, in: store)
            let isReview = reviewAddress(request.email.canonical, at: store.now) != nil
            rank = try isReview ? nil : self.rank(request.traffic, for: standing, in: store)
        } catch let refusal as Refusal {
            return .failure(refusal)
        }
        let ticket = ticket(of: request, request.asking, standing, isQueued: rank != nil, at: store.now)
        try open(ticket, rank, for: request, in: store)
        return .success(ticket)
    }

    /// Stores a new ticket with its link, and queues its e-mail.
    ///
    /// - Parameter rank: the rank of the e-mail; `nil` for a review address, which gets none.
    private func open(
        _ ticket: Ticket,
        _ rank: MailRank?,
        for request: SignInLinkRequest,
        in store: some AccountStore
    ) throws {
        try store.insert(ticket)
        guard let rank else {
            try store.trace(TraceEntry(.review, of: ticket.id, address: suppressionKey(of: ticket.email)))
            return
        }
        try queueSignInMail(
            for: ticket,
            rank,
            code: request.ids.actionCode,
            mail: request.ids.mail,
            network: request.traffic.network,
            in: store
        )
    }

    /// Stores a new link for a ticket and queues its e-mail.
    func queueSignInMail(
        for ticket: Ticket,
        _ rank: MailRank,
        code: TokenID,
        mail: TokenID,
        network: String? = nil,
        in store: some AccountStore
    ) throws {
        let linkExpiresAt = ticket.expiresAt + policy.signInLinkMargin
        let link = try addSignInLink(to: ticket, code: code, mail: mail.text, expiresAt: linkExpiresAt, in: store)
        try queue(
            QueuedMail(
                id: mail.text,
                kind: .signIn,
                to: ticket.email,
                locale: ticket.asking.locale,
                timeZone: ticket.asking.timeZone,
                actionCode: link,
                linkExpiresAt: linkExpiresAt,
                ticket: ticket.id,
                showsCode: ticket.linkOnlyAt == nil ? nil : false,
                device: ticket.asking.name,
                continueURL: ticket.continueURL,
                queuedAt: store.now
            ),
            rank,
            from: TracedDevice(uid: ticket.asking.uid, network: network),
            in: store
        )
    }

    /// Stores a new sign-in link for a ticket.
    ///
    /// - Parameters:
    ///   - ticket: the ticket.
    ///   - code: the id of the link's action code.
    ///   - mail: the id of the e-mail with the link; `nil` if an administrator sends it.
    ///   - expiresAt: the end of the link, in milliseconds since 1970.
    ///   - store: the transaction.
    /// - Returns: the link's action code in wire form.
    func addSignInLink(
        to ticket: Ticket,
        code: TokenID,
        mail: String? = nil,
        expiresAt: Int64,
        in store: some AccountStore
    ) throws -> String {
        try add(
            StoredActionCode(
                id: code.text,
                purpose: .emailSignIn,
                ticket: ticket.id,
                email: ticket.email,
                locale: ticket.asking.locale,
                continueURL: ticket.continueURL,
                createdAt: store.now,
                expiresAt: expiresAt,
                mail: mail
            ),
            code: code,
            in: store
        )
    }

    /// Stores an action code.
    ///
    /// - Returns: its wire form.
    func add(_ stored: StoredActionCode, code: TokenID, in store: some AccountStore) throws -> String {
        try store.insert(stored)
        return try ActionCode.make(
            id: code,
            purpose: stored.purpose,
            expiry: stored.expiresAt / 1000,
            secrets: secrets
        )
    }

    /// Queues an e-mail in sealed form, and begins its trace.
    func queue(
        _ mail: QueuedMail,
        _ rank: MailRank,
        from asker: TracedDevice = TracedDevice(),
        in store: some AccountStore
    ) throws {
        try store.queue(mail, rank: rank, payload: try seal(mail))
        try traceQueued(mail, from: asker, in: store)
    }

    /// Returns the review address with this canonical form; `nil` if there is none, or its end has passed.
    package func reviewAddress(_ email: String, at now: Int64) -> ReviewAddress? {
        policy.reviewAddresses.first { $0.email == email && now < $0.until }
    }
}
