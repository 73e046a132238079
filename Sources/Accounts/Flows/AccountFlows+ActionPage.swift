package import Tokens

/// What the page behind an e-mail link about an account asks its reader to confirm: to verify, change or recover an
/// address, to revert a change of sign-in methods, or to contest the account.
package struct ActionQuestion: Sendable, Equatable {
    package let code: StoredActionCode
    /// The masked address by which the reader recognizes the account (``AccountFlows/maskedAccount(of:for:)``); `nil`
    /// if there is none to show.
    package let account: String?
    /// Whether the code contests the account (``Contest``) instead of recovering its address.
    package let isContest: Bool

    /// Makes a question from its parts.
    package init(code: StoredActionCode, account: String?, isContest: Bool) {
        self.code = code
        self.account = account
        self.isContest = isContest
    }
}

extension AccountFlows {
    /// Returns what the page behind the link of an action code asks its reader.
    ///
    /// Writes nothing.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, USER_DISABLED (the account is contested already),
    ///   OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS (a recovery link whose address another
    ///   account has).
    package func question(of code: ActionCode, in store: some AccountStore) throws -> ActionQuestion {
        let stored = try usableActionCode(code, in: store)
        guard let uid = stored.uid, let user = try store.user(uid) else { throw Refusal(.invalidOobCode) }
        guard user.contest == nil else { throw Refusal(.userDisabled) }
        if stored.forAdministratorAt == nil { try refuseIfAdministrator(uid, in: store) }
        let isContest = isDisputed(stored, of: user)
        if stored.purpose == .recoverEmail, !isContest, try owner(of: stored.email, besides: user, in: store) != nil {
            throw Refusal(.emailExists)
        }
        return ActionQuestion(
            code: stored,
            account: maskedAccount(of: user, for: stored.purpose),
            isContest: isContest
        )
    }

    /// Ends a link that verifies or changes an address, because the owner of the mailbox did not request the e-mail,
    /// and counts the denial against the session and the client that did (``Policy/denialLife``).
    ///
    /// The account stays as it is.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, also for a link of another purpose; EXPIRED_OOB_CODE.
    package func denyAction(
        _ code: ActionCode,
        by reader: TracedDevice = TracedDevice(),
        in store: some AccountStore
    ) throws {
        let stored = try usableActionCode(code, in: store)
        guard [.verifyEmail, .verifyAndChangeEmail].contains(stored.purpose), try store.useActionCode(stored.id) else {
            throw Refusal(.invalidOobCode)
        }
        let email = stored.newEmail ?? stored.email
        try countDenial(of: email, client: stored.askingClient, session: stored.askingSID, in: store)
        try audit(.emailDenied, uid: stored.uid, in: store)
        try trace(.denied, of: stored, by: reader, in: store)
    }

    /// Returns the masked address by which the reader of an e-mail recognizes an account; `nil` if there is none to
    /// show.
    ///
    /// For ``ActionCode/Purpose/verifyEmail`` this is ``User/initialEmail`` or the proven address, because the e-mail
    /// itself is about the current address; for all other purposes it is the current address.
    func maskedAccount(of user: User, for purpose: ActionPurpose) -> String? {
        let email =
            switch purpose {
            case .emailSignIn, .verifyAndChangeEmail, .recoverEmail, .revertMethodChange: user.email
            // The current address is the one that the e-mail is about.
            case .verifyEmail: user.initialEmail ?? (user.emailVerifiedAt == nil ? nil : user.email)
            }
        return email.map(EmailAddress.masked)
    }
}

extension EmailAddress {
    /// Masks an address so that its owner recognizes it and others cannot write to it: `a***@example.com`.
    ///
    /// The number of asterisks does not depend on the length.
    package static func masked(_ canonical: String) -> String {
        let shown = (try? EmailAddress(parsing: canonical))?.displayForm ?? canonical
        guard let at = shown.lastIndex(of: "@") else { return "***" }
        return "\(shown.prefix(1))***\(shown[at...])"
    }
}
