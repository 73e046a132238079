/// An administrator's request to create a user, decoded (contract, 3.1).
package struct NewUser: Sendable {
    package var uid: String
    /// Whether the administrator chose ``uid``; `false` if the server drew it.
    package var isChosen: Bool
    package var email: EmailAddress?
    package var isEmailVerified = false
    package var isDisabled = false
    package var displayName: String?
    package var photoURL: String?

    /// Makes a user with nothing but a UID.
    package init(uid: String, isChosen: Bool) {
        self.uid = uid
        self.isChosen = isChosen
    }
}

extension AccountFlows {
    /// Creates a user for an administrator, who is ``actor``, without a session.
    ///
    /// The user is permanent, even without a sign-in method.
    ///
    /// - Throws: ``Refusal`` DUPLICATE_LOCAL_ID, EMAIL_EXISTS.
    package func createUser(_ new: NewUser, in store: some AccountStore) throws -> User {
        if new.isChosen { try claim(new.uid, in: store) }
        if let email = new.email, try store.user(email: email.canonical) != nil { throw Refusal(.emailExists) }
        var user = User(uid: new.uid, createdAt: store.now)
        user.email = new.email?.canonical
        if user.email != nil, new.isEmailVerified { user.emailVerifiedAt = store.now }
        if new.isDisabled { user.disabledAt = store.now }
        user.displayName = new.displayName
        user.photoURL = new.photoURL
        try store.insert(user)
        try audit(.userCreated, uid: user.uid, detail: "administrator", in: store)
        try announce(.userCreated, user.uid, isAnonymous: false, in: store)
        return user
    }
}
