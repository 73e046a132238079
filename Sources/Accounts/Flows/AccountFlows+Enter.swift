internal import Tokens

extension AccountFlows {
    /// Signs in the user of a proven address.
    ///
    /// Links the address to the presented user, signs in to the account that has it, or creates an account.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of the address whose mailbox the caller has opened.
    ///   - owner: the owner of the ticket's address; `nil` if no user has the address.
    ///   - presented: the user whose session was presented, already authenticated.
    ///   - onConflict: what to do if a session was presented and the address belongs to another user.
    ///   - uid: a fresh UID, for a new user.
    ///   - opening: the session to open.
    ///   - notice: what the notice to a replaced address needs.
    ///   - mergeID: a fresh identifier, for a merge.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS, USER_DISABLED,
    ///   MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER, or what ``merge(_:into:id:isDryRun:in:)`` throws. The
    ///   transaction must then be rolled back.
    func enter(
        _ ticket: Ticket,
        owner: User?,
        presented: User?,
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String,
        in store: some AccountStore
    ) throws -> SignedIn {
        let email = ticket.email
        try protectAdministrators(from: ticket, presented: presented, owner: owner, in: store)
        guard let presented else {
            guard let owner else { return try create(email, uid: uid, opening: opening, in: store) }
            // The first proof of an address takes the account over, without its identities.
            let identities = owner.isUnclaimed ? [] : try store.identities(ofOwnerOf: email)
            return try enter(accountOf: owner, with: identities, opening: opening, in: store)
        }
        if let owner, owner.uid != presented.uid {
            guard onConflict != .error else { throw Refusal(.emailExists) }
            // Both at once, because all transactions lock users by id.
            try store.lockUsers([presented.uid, owner.uid])
            let proven = try prove(owner, in: store)
            guard onConflict == .merge else {
                throw try conflict(.emailExists, reportingMergeOf: presented, into: proven, id: mergeID, in: store)
            }
            let merged = try merge(presented, into: proven, id: mergeID, in: store)
            return try signIn(to: merged.user, opening: opening, merged: merged, in: store)
        }
        try presented.refuseIfMergeSuspended()
        let identities = try store.identities(of: presented.uid)
        try replaceEmail(of: presented, with: email, for: ticket.asking, notice: notice, in: store)
        return try link(email, to: presented, with: identities, opening: opening, in: store)
    }

    /// Signs in the owner of a proven address, who presents no session.
    ///
    /// - Parameters:
    ///   - owner: the owner.
    ///   - identities: the identities that the owner keeps.
    ///   - opening: the session to open.
    ///   - store: the transaction.
    /// - Throws: what ``takeOver(_:in:)`` throws.
    func enter(
        accountOf owner: User,
        with identities: [Identity],
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        try signIn(to: try prove(owner, in: store), opening: opening, identities: identities, in: store)
    }

    /// Takes an account over (``takeOver(_:in:)``), marks its address as proven and stores it, because the mailbox of
    /// the address has just been opened.
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
        try audit(.userSignedIn, uid: user.uid, in: store)
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

    /// Creates a permanent user for a proven address that no user has, and signs them in.
    func create(
        _ email: String,
        uid: String,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> SignedIn {
        var user = User(uid: uid, provenEmail: email, at: store.now)
        user.reviewSince = reviewAddress(email, at: store.now) == nil ? nil : store.now
        try store.insert(user)
        try audit(.userCreated, uid: user.uid, in: store)
        try announce(.userCreated, user.uid, isAnonymous: false, in: store)
        return try signIn(user, opening: opening, provider: .emailLink, isNewUser: true, in: store)
    }

    /// Prepares a change of address by a sign-in link: notifies the old address, which can recover the account, and
    /// ends every session.
    ///
    /// Does nothing unless the user has another, proven address.
    private func replaceEmail(
        of user: User,
        with email: String,
        for asking: AskingDevice,
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
            locale: asking.locale,
            timeZone: asking.timeZone,
            in: store
        )
        try store.endSessions(of: user.uid, except: nil, reason: .emailChanged)
        try recordChange(ofImported: user.uid, endsSessions: true, in: store)
        try audit(.emailChanged, uid: user.uid, in: store)
    }

    /// Sets the presented user's address, which the user has just proven, and opens a new session.
    ///
    /// The UID stays. All earlier sessions, including the presented one, and all e-mailed codes end if the user is a guest, or has the
    /// address without having proven it. An attacker may have opened the session or requested the e-mail. In the second
    /// case recovery codes remain, but they can only contest the account. The sessions of a user with another proven
    /// address were ended by `replaceEmail`. Other users keep their sessions.
    ///
    /// - Parameters:
    ///   - email: the proven address.
    ///   - presented: the user whose session was presented.
    ///   - identities: the user's linked identities, for the result; they do not change.
    ///   - opening: the session to open.
    ///   - store: the transaction.
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
            // The presented session may be stolen or planted by an attacker. The earlier address can therefore contest
            // the account, but not recover it.
            try endSessionsAndMails(of: &user, sparing: .recoverEmail, because: .linked, in: store)
            try recordTakeover(of: &user, in: store)
        }
        if presented.email != email { try forgetClients(of: presented, in: store) }
        user.prove(email, at: store.now)
        if presented.isAnonymous, reviewAddress(email, at: store.now) != nil { user.reviewSince = store.now }
        try store.update(user)
        try audit(.userLinked, uid: user.uid, in: store)
        try recordChange(ofImported: user.uid, endsSessions: false, in: store)
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
