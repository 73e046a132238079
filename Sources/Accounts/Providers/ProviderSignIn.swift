/// A sign-in by an identity provider's verified token, decoded.
package struct ProviderSignIn: Sendable {
    package let assertion: ProviderAssertion
    /// The ID token of the user to whom the identity is to be linked; `nil` to sign in or to create a user.
    package let token: PresentedToken?
    package let onConflict: OnConflict
    package let uid: String
    package let opening: SessionOpening
    package let notice: NoticeOpening
    package let mergeID: String

    /// Makes a sign-in.
    ///
    /// `uid`, `opening`, `notice` and `mergeID` are fresh, in case the sign-in makes a new user, session, e-mail or
    /// merge.
    package init(
        assertion: ProviderAssertion,
        token: PresentedToken?,
        onConflict: OnConflict,
        uid: String,
        opening: SessionOpening,
        notice: NoticeOpening,
        mergeID: String
    ) {
        self.assertion = assertion
        self.token = token
        self.onConflict = onConflict
        self.uid = uid
        self.opening = opening
        self.notice = notice
        self.mergeID = mergeID
    }
}

/// The outcome of a sign-in by an identity provider.
package enum ProviderOutcome: Sendable, Equatable {
    /// The user is signed in.
    ///
    /// - Parameter isEmailRecycled: whether the account was found by its address and had another identity at the same
    ///   provider, so that the address has changed hands there.
    case signedIn(SignedIn, isEmailRecycled: Bool)
    /// Another user has the address, and the assertion does not prove that they are the same person, or that user is an
    /// administrator; nothing has changed.
    ///
    /// - Parameters:
    ///   - uid: the UID of the address's owner.
    ///   - providers: that user's providers, to sign in with instead; `nil` if they must not be revealed.
    case needsConfirmation(uid: String, providers: [String]?)
    /// The presented user cannot have the identity, because it or its address belongs to another user; nothing has
    /// changed.
    case conflict(Code)
}
