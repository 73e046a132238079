/// A sign-in by an identity provider's token that has been believed, decoded.
package struct ProviderSignIn: Sendable {
    package let assertion: ProviderAssertion
    /// The session to whose user the identity is to be linked.
    package let token: PresentedToken?
    package let onConflict: OnConflict
    package let uid: String
    package let opening: SessionOpening
    package let notice: NoticeOpening
    package let mergeID: String

    /// Makes a sign-in; `uid`, `opening`, `notice` and `mergeID` are fresh, for the case that a new user, session, mail or merge
    /// comes of it.
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

/// What came of a sign-in by an identity provider.
package enum ProviderOutcome: Sendable, Equatable {
    /// - Parameter isEmailRecycled: whether the address was known to belong to somebody else at the same provider.
    case signedIn(SignedIn, isEmailRecycled: Bool)
    /// Somebody has the address, and that it is the same person is not proven; nothing has changed.
    ///
    /// - Parameter providers: those of the owner, by which to sign in instead; `nil` where nobody may learn of them.
    case needsConfirmation(uid: String, providers: [String]?)
    /// The presented user cannot have the identity, because it or its address is somebody's; nothing has changed.
    case conflict(Code)
}
