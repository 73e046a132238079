#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Handles a URL that opened the app: finishes a sign-in that was requested here, and describes any other.
    ///
    /// ```swift
    /// .onOpenURL { url in
    ///     Task {
    ///         switch try await auth.handle(url: url) {
    ///         case .finished(let outcome): show(outcome)
    ///         case .conflict(let conflict): ask(conflict)
    ///         case .elsewhere(let link): offer(link)
    ///         case .over(let link): explain(link)
    ///         case nil: open(url)                    // not a sign-in link
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A link that was requested here is redeemed with the address in ``pendingSignIn``. For a link that another device
    /// requested, or another person, nothing changes until the person chooses.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - onConflict: what to do with a guest if the address of a link that was requested here has an account; with
    ///     ``ConflictPolicy/report`` and ``ConflictPolicy/error`` the result is ``HandledLink/conflict(_:)``.
    /// - Returns: what became of the link; `nil` if the URL is not a sign-in link.
    /// - Throws: ``AuthError/Code/networkRequestFailed`` and others after which the same call may succeed;
    ///   ``AuthError/Code/userDisabled``, ``AuthError/Code/mergeRefused``.
    public func handle(url: URL, onConflict: ConflictPolicy = .merge) async throws(AuthError) -> HandledLink? {
        let link = url.absoluteString
        guard let parsed = SignInLink(link), parsed.mode == "signIn" else { return nil }
        do throws(AuthError) {
            guard isRequestedHere(link), let email = pendingSignIn?.email else {
                let description = try await describe(link)
                let facts = ForeignLink(auth: self, link: link, description: description)
                let isOpen = [.waiting, .approved].contains(description.state)
                return isOpen ? .elsewhere(facts) : .over(EndedLink(description: description, error: nil))
            }
            return .finished(try await continueWithEmail(email, link: link, onConflict: onConflict))
        } catch {
            if let credential = error.credential {
                return .conflict(LinkConflict(auth: self, credential: credential, report: error.mergeReport))
            }
            guard Self.endsLink(error.code) else { throw error }
            return .over(EndedLink(description: nil, error: error))
        }
    }

    /// Whether an error says that the link will never work again.
    private static func endsLink(_ code: AuthError.Code) -> Bool {
        [.invalidActionCode, .expiredActionCode, .ticketSpent, .ticketEnded, .ticketExpired].contains(code)
    }
}

/// What became of a link that opened the app.
public enum HandledLink: Sendable {
    /// The link was requested here, and the sign-in is finished.
    case finished(SignInOutcome)
    /// The link was requested here for a guest, and its address has an account. Nothing has changed.
    case conflict(LinkConflict)
    /// Another device requested the link, or another person. Nothing has changed.
    case elsewhere(ForeignLink)
    /// The link was used, denied or replaced, or has expired.
    case over(EndedLink)
}

/// A decision that the person makes: whether the guest's data moves to the account of the address.
public struct LinkConflict: Sendable {
    let auth: Auth
    let credential: EmailCredential
    /// What the merge would do; `nil` unless ``ConflictPolicy/report`` asked for it.
    public let report: MergeReport?

    /// Moves the guest's data to the account, and signs in to it.
    ///
    /// - Throws: as ``Auth/continue(with:onConflict:)``.
    @discardableResult
    public func merge() async throws(AuthError) -> SignInOutcome {
        try await auth.continue(with: credential, onConflict: .merge)
    }
}

/// A link that another device requested.
public struct ForeignLink: Sendable {
    let auth: Auth
    let link: String
    /// The masked address, the device that asked, and the page on which the person approves the sign-in there.
    public let description: SignInLinkDescription

    /// What happens to the guest of this device when the link signs in here.
    public enum Guest: Sendable {
        /// The guest's data moves to the account. Ask the user first: another person may have forwarded the link.
        case merge
        /// The guest is left behind, and its data cannot be reached any more.
        case leave
    }

    /// The page on which the person approves the sign-in on the device that asked.
    ///
    /// Open it in the system's browser. It contains the link's code, so it is as secret as the link.
    public var approveURL: URL { description.approveURL }

    /// Ends the request, because the person did not make it.
    ///
    /// - Throws: as ``Auth/deny(_:)``.
    public func deny() async throws(AuthError) {
        try await auth.deny(link)
    }

    /// Signs this device in instead of the one that asked.
    ///
    /// - Parameters:
    ///   - email: the address that the link was sent to, as the person enters it.
    ///   - guest: what happens to the guest who is signed in here.
    /// - Throws: ``AuthError/Code/invalidEmail`` if the link was sent to another address (the link stays good); otherwise
    ///   as ``Auth/continueWithEmail(_:link:onConflict:)``.
    @discardableResult
    public func continueHere(email: String, guest: Guest) async throws(AuthError) -> SignInOutcome {
        switch guest {
        case .merge: try await auth.continueWithEmail(email, link: link, onConflict: .merge)
        case .leave: try await auth.signIn(withEmail: email, link: link).outcome
        }
    }
}

/// A link that no longer works.
public struct EndedLink: Sendable {
    /// What has become of the request; `nil` if the server does not tell it.
    public let description: SignInLinkDescription?
    /// The refusal of the link; `nil` if the link was only looked at.
    public let error: AuthError?
}
