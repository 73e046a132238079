internal import Tokens

/// An administrator's request for a link that it sends by itself, decoded (contract, 3.2).
package struct ActionLinkRequest: Sendable {
    package let purpose: ActionPurpose
    /// Whom it is about; `nil` where `token` says so.
    package let email: EmailAddress?
    package let token: PresentedToken?
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

/// A link that is mailed by somebody else.
package struct MadeActionLink: Sendable, Equatable {
    package let purpose: ActionPurpose
    /// The user's present address.
    package let email: String
    /// The action code in wire form.
    package let code: String
    package let locale: String
    package let continueURL: String?
}

extension AccountFlows {
    /// Makes a link without a mail.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED, USER_NOT_FOUND, MISSING_EMAIL, EMAIL_EXISTS, or those of
    ///   ``authenticate(_:in:)``.
    package func makeActionLink(_ request: ActionLinkRequest, in store: some AccountStore) throws -> MadeActionLink {
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
            continueURL: request.continueURL
        )
    }

    private func makeSignInLink(
        _ request: ActionLinkRequest,
        _ session: Session?,
        in store: some AccountStore
    ) throws -> (email: String, code: String) {
        guard policy.emailLinkSignIn else { throw Refusal(.operationNotAllowed) }
        guard let email = request.email else { throw Refusal(.missingEmail) }
        var asking = request.asking
        asking.uid = session?.uid
        asking.sid = session?.sid
        let ticket = Ticket(
            id: request.ids.ticket.text,
            keyID: secrets.newest.keyID,
            email: email.canonical,
            mailState: .none,
            asking: asking,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + policy.signInLinkLife
        )
        try store.insert(ticket)
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
        guard let email = user.email else { throw Refusal(.missingEmail) }
        if let newEmail = request.newEmail, try store.user(email: newEmail.canonical) != nil {
            throw Refusal(.emailExists)
        }
        let code = StoredActionCode(
            id: request.ids.actionCode.text,
            purpose: request.purpose,
            uid: user.uid,
            askingSID: presented?.session.sid,
            email: email,
            newEmail: request.newEmail?.canonical,
            locale: request.asking.locale,
            continueURL: request.continueURL,
            createdAt: store.now,
            expiresAt: store.now + (request.newEmail == nil ? policy.verifyLinkLife : policy.changeLinkLife),
            device: request.asking.name
        )
        return (email, try add(code, code: request.ids.actionCode, in: store))
    }
}
