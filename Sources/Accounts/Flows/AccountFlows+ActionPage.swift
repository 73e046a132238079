package import Tokens

/// What the page behind the link of a mail about an account asks its reader.
package struct ActionQuestion: Sendable, Equatable {
    package let code: StoredActionCode
    /// The masked address that the account had; `nil` where it had none.
    package let account: String?
    /// Whether the code contests the account instead of handing it back.
    package let isContest: Bool
}

extension AccountFlows {
    /// What the page behind a link asks.
    ///
    /// Writes nothing.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, USER_DISABLED (the account is contested already),
    ///   OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS (a recovery link whose address another account has).
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

    /// Ends the link of a mail that the owner of the mailbox did not ask for, and counts it against the asker.
    ///
    /// The account stays as it is. The session and the client that asked get no other mail for this mailbox for a day.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE.
    package func denyAction(_ code: ActionCode, in store: some AccountStore) throws {
        let stored = try usableActionCode(code, in: store)
        guard [.verifyEmail, .verifyAndChangeEmail].contains(stored.purpose), try store.useActionCode(stored.id) else {
            throw Refusal(.invalidOobCode)
        }
        let email = stored.newEmail ?? stored.email
        try countDenial(of: email, client: stored.askingClient, session: stored.askingSID, in: store)
        try store.audit(.emailDenied, uid: stored.uid, detail: nil)
    }

    /// The address by which the reader of a mail recognises an account, masked; `nil` where the account had none before.
    func maskedAccount(of user: User, for purpose: ActionPurpose) -> String? {
        let email =
            switch purpose {
            case .emailSignIn, .verifyAndChangeEmail, .recoverEmail, .revertMethodChange: user.email
            // The present address is the one that the mail is about.
            case .verifyEmail: user.initialEmail ?? (user.emailVerifiedAt == nil ? nil : user.email)
            }
        return email.map(EmailAddress.masked)
    }
}

extension EmailAddress {
    /// An address that its owner recognises and others cannot write to: `a***@example.com`.
    ///
    /// The number of the asterisks says nothing about the length.
    static func masked(_ canonical: String) -> String {
        let shown = (try? EmailAddress(parsing: canonical))?.displayForm ?? canonical
        guard let at = shown.lastIndex(of: "@") else { return "***" }
        return "\(shown.prefix(1))***\(shown[at...])"
    }
}
