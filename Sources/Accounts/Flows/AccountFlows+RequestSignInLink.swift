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
        var ticket = Ticket(
            id: request.ids.ticket.text,
            keyID: secrets.newest.keyID,
            email: email,
            mailState: isReview ? .none : .queued,
            asking: asking,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + policy.signInLinkLife,
            trustedAt: asker.standing.isTrusted ? store.now : nil
        )
        ticket.judgedAt = isJudged ? store.now : nil
        ticket.linkOnlyAt = request.showsCode ? nil : store.now
        try store.insert(ticket)
        if let rank {
            try count(rank, of: asker.presented?.session, in: store)
            if request.traffic.isAdministrators { try endSuppression(of: email, in: store) }
            try queueSignInMail(
                for: ticket,
                rank,
                code: request.ids.actionCode,
                mail: request.ids.mail,
                network: request.traffic.network,
                in: store
            )
        } else {
            try store.trace(TraceEntry(.review, of: ticket.id, address: suppressionKey(of: email)))
        }
        if request.authority != nil {
            // An administrator may look up who has the address (invariant 5 is about clients).
            let uid = try asking.uid ?? store.user(email: email)?.uid
            try audit(.mailRequested, uid: uid, detail: ActionPurpose.emailSignIn.requestType, in: store)
        }
        return ticket
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
