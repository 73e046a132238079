internal import Tokens

/// An administrator's request for a sign-in or account link that the server returns and does not mail, decoded
/// (docs/contract.md, 3.2).
package struct ActionLinkRequest: Sendable {
    package let purpose: ActionPurpose
    /// The address that a sign-in link signs in; for other purposes the user's address, or `nil` if ``token``
    /// identifies the user.
    package let email: EmailAddress?
    /// The user's ID token, if the call presents one; a sign-in link remembers its session.
    package let token: PresentedToken?
    /// The address to change to; `nil` for other purposes.
    package let newEmail: EmailAddress?
    package let asking: AskingDevice
    package let continueURL: String?
    package let ids: MailIDs

    /// Makes a request from its decoded parts.
    package init(
        purpose: ActionPurpose,
        email: EmailAddress?,
        token: PresentedToken?,
        newEmail: EmailAddress?,
        asking: AskingDevice,
        continueURL: String?,
        ids: MailIDs
    ) {
        self.purpose = purpose
        self.email = email
        self.token = token
        self.newEmail = newEmail
        self.asking = asking
        self.continueURL = continueURL
        self.ids = ids
    }
}

/// A link that the server has made and that the caller sends to its reader.
package struct MadeActionLink: Sendable, Equatable {
    package let purpose: ActionPurpose
    /// The address that a sign-in link signs in; for other purposes the user's current address.
    package let email: String
    /// The action code in wire form.
    package let code: String
    package let locale: String
    package let continueURL: String?
    /// The id of the ticket that a sign-in link belongs to; `nil` for other purposes.
    package let requestID: String?
}

extension AccountFlows {
    /// Makes the link of an action code for an administrator, who is ``actor``, without queuing an e-mail.
    ///
    /// A link for the account of a user in `administrators` needs ``AdministratorAuthority/key``.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED, USER_NOT_FOUND, MISSING_EMAIL, EMAIL_EXISTS, or those of
    ///   ``authenticate(_:in:)``.
    package func makeActionLink(_ request: ActionLinkRequest, in store: some AccountStore) throws -> MadeActionLink {
        // The link belongs to the user.
        if let token = request.token { try store.lockUsers([token.uid]) }
        let presented = try request.token.map { try authenticate($0, in: store) }
        let (email, code) =
            if request.purpose == .emailSignIn {
                try makeSignInLink(request, presented?.session, in: store)
            } else {
                try makeLink(request, presented, in: store)
            }
        return MadeActionLink(
            purpose: request.purpose,
            email: email,
            code: code,
            locale: request.asking.locale,
            continueURL: request.continueURL,
            requestID: request.purpose == .emailSignIn ? request.ids.ticket.text : nil
        )
    }

    private func makeSignInLink(
        _ request: ActionLinkRequest,
        _ session: Session?,
        in store: some AccountStore
    ) throws -> (email: String, code: String) {
        guard policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        guard let email = request.email else { throw Refusal(.missingEmail) }
        let owner = try store.user(email: email.canonical)
        for uid in [session?.uid, owner?.uid].compactMap({ $0 }) { try requireAuthority(over: uid, in: store) }
        var asking = request.asking
        asking.uid = session?.uid
        asking.sid = session?.sid
        var ticket = Ticket(
            id: request.ids.ticket.text,
            keyID: secrets.newest.keyID,
            email: email.canonical,
            mailState: .none,
            asking: asking,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + policy.signInLinkLife
        )
        ticket.judgedAt = store.now
        ticket.mintedAt = actor.authority == .idToken ? store.now : nil
        try store.insert(ticket)
        try audit(.linkMade, uid: owner?.uid ?? session?.uid, detail: request.purpose.requestType, in: store)
        let code = try addSignInLink(to: ticket, code: request.ids.actionCode, expiresAt: ticket.expiresAt, in: store)
        return (ticket.email, code)
    }

    private func makeLink(
        _ request: ActionLinkRequest,
        _ presented: (user: User, session: Session)?,
        in store: some AccountStore
    ) throws -> (email: String, code: String) {
        guard let user = try presented?.user ?? request.email.flatMap({ try store.user(email: $0.canonical) }) else {
            throw Refusal(.userNotFound)
        }
        // What ends all links of the user waits for this one, or comes before it.
        try store.lockUsers([user.uid])
        let isAdministrator = try store.administrators().contains(user.uid)
        if isAdministrator { try requireAuthority(over: user.uid, in: store) }
        guard let email = user.email else { throw Refusal(.missingEmail) }
        if let newEmail = request.newEmail, try store.user(email: newEmail.canonical) != nil {
            throw Refusal(.emailExists)
        }
        var code = StoredActionCode(
            id: request.ids.actionCode.text,
            purpose: request.purpose,
            uid: user.uid,
            askingSID: presented?.session.sid,
            email: email,
            newEmail: request.newEmail?.canonical,
            locale: request.asking.locale,
            timeZone: request.asking.timeZone,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + (request.newEmail == nil ? policy.verifyLinkLife : policy.changeLinkLife),
            device: request.asking.name
        )
        code.forAdministratorAt = isAdministrator ? store.now : nil
        try audit(.linkMade, uid: user.uid, detail: request.purpose.requestType, in: store)
        return (email, try add(code, code: request.ids.actionCode, in: store))
    }
}
