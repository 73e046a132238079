internal import Tokens

extension AccountFlows {
    /// What everyone who has proven an address goes through: link it to the presented user, sign in to the account that has
    /// it, or make a new one.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of the address whose mailbox the caller has opened.
    ///   - presented: the user whose session was presented, already authenticated.
    ///   - onConflict: what to do when the presented user meets the account of somebody else.
    ///   - uid: a fresh UID, for a new user.
    ///   - opening: the session to begin.
    ///   - notice: what the notice to an address that another replaces needs.
    ///   - mergeID: a fresh identifier, for a merge.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS, USER_DISABLED, MERGE_IN_PROGRESS,
    ///   TOO_MANY_ATTEMPTS_TRY_LATER, or those of ``checkMerge(of:into:by:)``; or ``MergeBlocked``. Nothing has been changed then.
    func enter(
        _ ticket: Ticket,
        presented: User?,
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String,
        in store: some AccountStore
    ) throws -> SignedIn {
        let email = ticket.email
        let owner = try store.user(email: email)
        try protectAdministrators(from: ticket, presented: presented, owner: owner, in: store)
        guard let presented else {
            if let owner {
                // Whoever proves an address first takes over without them.
                let identities = owner.isUnclaimed ? [] : try store.identities(ofOwnerOf: email)
                return try signIn(
                    to: try prove(owner, in: store),
                    opening: opening,
                    identities: identities,
                    in: store
                )
            }
            return try create(email, uid: uid, opening: opening, in: store)
        }
        if let owner, owner.uid != presented.uid {
            guard onConflict == .merge else { throw Refusal(.emailExists) }
            let merged = try merge(presented, into: try prove(owner, in: store), id: mergeID, in: store)
            return try signIn(to: merged.user, opening: opening, merged: merged, in: store)
        }
        try presented.refuseIfHeld()
        let identities = try store.identities(of: presented.uid)
        try replaceEmail(of: presented, with: email, locale: ticket.asking.locale, notice: notice, in: store)
        return try link(email, to: presented, with: identities, opening: opening, in: store)
    }

    /// Notes on an account that the mailbox of its address has just been opened.
    private func prove(_ owner: User, in store: some AccountStore) throws -> User {
        var user = try takeOver(owner, in: store)
        user.prove(owner.email ?? "", at: store.now)
        try store.update(user)
        return user
    }

    /// Signs in to an account whose address has been proven.
    private func signIn(
        to user: User,
        opening: SessionOpening,
        identities: [Identity]? = nil,
        merged: Merged? = nil,
        in store: some AccountStore
    ) throws -> SignedIn {
        try store.audit(.userSignedIn, uid: user.uid, detail: nil)
        var signedIn = try signIn(
            user,
            opening: opening,
            provider: .emailLink,
            identities: identities,
            isNewUser: false,
            in: store
        )
        signedIn.merged = merged
        return signedIn
    }

    /// Makes a permanent user of an address that nobody has.
    private func create(
        _ email: String,
        uid: String,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        var user = User(uid: uid, provenEmail: email, at: store.now)
        user.reviewSince = reviewAddress(email, at: store.now) == nil ? nil : store.now
        try store.insert(user)
        try store.audit(.userCreated, uid: user.uid, detail: nil)
        try announce(.userCreated, user.uid, isAnonymous: false, in: store)
        return try signIn(user, opening: opening, provider: .emailLink, isNewUser: true, in: store)
    }

    /// What a change of address brings with it, where linking is one: the old address hears of it and can take it back, and
    /// every session ends.
    private func replaceEmail(
        of user: User,
        with email: String,
        locale: String,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws {
        guard let oldEmail = user.email, user.emailVerifiedAt != nil, oldEmail != email else { return }
        try noticeChange(
            of: oldEmail,
            to: email,
            unclaimedSince: user.unclaimedSince,
            for: user,
            cause: .user,
            notice: notice,
            locale: locale,
            in: store
        )
        try store.endSessions(of: user.uid, except: nil, reason: .emailChanged)
        try store.audit(.emailChanged, uid: user.uid, detail: nil)
    }

    /// Gives the presented user the address; the UID stays.
    ///
    /// An anonymous user's sessions all end, the presented one too, and so do those of a user whose address nobody had proven:
    /// a planted session never becomes a way into the account of whoever linked it, and neither does a mail of before.
    private func link(
        _ email: String,
        to presented: User,
        with identities: [Identity],
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        var user = presented
        if presented.isAnonymous {
            try endSessionsAndMails(of: &user, because: .linked, in: store)
        } else if presented.emailVerifiedAt == nil && presented.email == email {
            // The presented session may be stolen, or planted by another person. The earlier address can therefore contest the
            // account, and not take it back.
            try endSessionsAndMails(of: &user, sparing: .recoverEmail, because: .linked, in: store)
            user.takenOverAt = store.now
        }
        if presented.email != email { try forgetClients(of: presented, in: store) }
        user.prove(email, at: store.now)
        if presented.isAnonymous, reviewAddress(email, at: store.now) != nil { user.reviewSince = store.now }
        try store.update(user)
        try store.audit(.userLinked, uid: user.uid, detail: nil)
        try announce(.userLinked, user.uid, isAnonymous: false, in: store)
        return try signIn(
            user,
            opening: opening,
            provider: .emailLink,
            identities: identities,
            isNewUser: false,
            linked: presented.email != email,
            wasAnonymous: presented.isAnonymous,
            in: store
        )
    }
}
