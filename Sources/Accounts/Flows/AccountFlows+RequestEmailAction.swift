internal import Tokens

/// A signed-in user's request to verify their address or to change it, decoded.
package struct EmailActionRequest: Sendable {
    package let token: PresentedToken
    /// The new address; `nil` to verify the current one.
    package let newEmail: EmailAddress?
    package let asking: AskingDevice
    package let continueURL: String?
    package let traffic: MailTraffic
    package let ids: MailIDs
    /// What authorized an administrator to send this request with the user's token; `nil` if the user asks.
    ///
    /// If set, a change of address needs no recent sign-in. A user in the setting `administrators` needs
    /// ``AdministratorAuthority/key``.
    package var authority: AdministratorAuthority?

    /// Makes a request from its decoded parts.
    package init(
        token: PresentedToken,
        newEmail: EmailAddress?,
        asking: AskingDevice,
        continueURL: String?,
        traffic: MailTraffic = MailTraffic(),
        ids: MailIDs
    ) {
        self.token = token
        self.newEmail = newEmail
        self.asking = asking
        self.continueURL = continueURL
        self.traffic = traffic
        self.ids = ids
    }
}

extension AccountFlows {
    /// Queues the e-mail that verifies a user's address or confirms a new one (contract, 3.2).
    ///
    /// While e-mail privacy is on, a new address that another user has gets the same answer as a free one. The e-mail
    /// then informs the owner of the address and has no link.
    ///
    /// - Returns: the user's current address.
    /// - Throws: ``Refusal`` MISSING_EMAIL, OPERATION_NOT_ALLOWED (an administrator's account),
    ///   CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, TOO_MANY_ATTEMPTS_TRY_LATER, or those of
    ///   ``authenticate(_:in:)``.
    package func requestEmailAction(_ request: EmailActionRequest, in store: some AccountStore) throws -> String {
        // The link belongs to the user.
        try store.lockUsers([request.token.uid])
        try store.prefetch { store in
            _ = try store.sessionAndUser(request.token.sid)
            _ = try store.administrators()
        }
        let (user, session) = try authenticate(request.token, in: store)
        guard let email = user.email else { throw Refusal(.missingEmail) }
        let isAdministrator = try store.administrators().contains(user.uid)
        if isAdministrator, request.authority != .key { throw Refusal.protectsAdministrator }
        if request.newEmail != nil, request.authority == nil { try requireRecentSignIn((user, session), in: store) }
        if let newEmail = request.newEmail, try !projectConfig(in: store).emailPrivacy,
            try store.user(email: newEmail.canonical) != nil
        {
            throw Refusal(.emailExists)
        }
        let to = request.newEmail?.canonical ?? email
        let client = request.asking.client
        let standing = try countMail(
            to: to,
            from: client,
            isExempt: request.traffic.isExempt,
            presented: (user, session),
            in: store
        )
        let rank = try rank(request.traffic, for: standing, in: store)
        try count(rank, of: session, in: store)
        if request.traffic.isAdministrators { try endSuppression(of: to, in: store) }
        var stored = StoredActionCode(
            id: request.ids.actionCode.text,
            purpose: request.newEmail == nil ? .verifyEmail : .verifyAndChangeEmail,
            uid: user.uid,
            askingSID: session.sid,
            email: email,
            newEmail: request.newEmail?.canonical,
            locale: request.asking.locale,
            timeZone: request.asking.timeZone,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + (request.newEmail == nil ? policy.verifyLinkLife : policy.changeLinkLife),
            device: request.asking.name,
            askingClient: client,
            mail: request.ids.mail.text
        )
        stored.forAdministratorAt = isAdministrator ? store.now : nil
        let code = try add(stored, code: request.ids.actionCode, in: store)
        try queue(
            QueuedMail(
                id: request.ids.mail.text,
                kind: request.newEmail == nil ? .verifyEmail : .changeEmail,
                to: to,
                locale: stored.locale,
                timeZone: stored.timeZone,
                actionCode: code,
                linkExpiresAt: stored.expiresAt,
                newEmail: stored.newEmail,
                device: request.asking.name,
                account: maskedAccount(of: user, for: stored.purpose),
                continueURL: stored.continueURL,
                queuedAt: store.now
            ),
            rank,
            from: TracedDevice(uid: user.uid, network: request.traffic.network),
            in: store
        )
        if request.authority != nil {
            try audit(.mailRequested, uid: user.uid, detail: stored.purpose.requestType, in: store)
        }
        return email
    }
}
