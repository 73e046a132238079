import Accounts
import JSON
import Tokens

@testable import Server

extension OperationMix {
    static let provider = Kind(share: 10) { _, draw in
        let provider = draw.numbers.pick(providers) ?? ""
        let subject = draw.subject()
        var assertion = ProviderAssertion(provider: provider, subject: subject)
        assertion.email = draw.numbers.chance(60) ? try draw.email().canonical : nil
        assertion.isEmailVerified = draw.numbers.chance(70)
        assertion.isEmailTrusted = draw.numbers.chance(70)
        return try draw.signIn(by: assertion, presenting: draw.token(percent: 50))
    }

    /// One person's identity with one address, for users who have other addresses.
    static let additionOfProvider = Kind(share: 1) { _, draw in
        guard let session = draw.session(isGuests: false) else { return nil }
        var assertion = ProviderAssertion(provider: providers[0], subject: (draw.focus?.subjects ?? "subject") + "-0")
        assertion.email = try draw.focus?.email ?? draw.email().canonical
        assertion.isEmailVerified = true
        return try draw.signIn(by: assertion, presenting: session.token)
    }

    static let merge = Kind(share: 5) { _, draw in
        guard let guest = draw.guest(),
            let target = draw.session(isGuests: false)
        else { return nil }
        let input = MergeRequest(
            token: target.token,
            anonymousToken: guest.token,
            id: try draw.numbers.id().text,
            isDryRun: draw.numbers.chance(15)
        )
        return Operation("merge", input, MergeUsers.init)
    }
}

extension Draw {
    fileprivate mutating func signIn(
        by assertion: ProviderAssertion,
        presenting token: PresentedToken?
    ) throws -> Operation {
        let notice = try notice()
        let signIn = ProviderSignIn(
            assertion: assertion,
            token: token,
            onConflict: onConflict(),
            uid: try uid(),
            opening: try opening(),
            notice: notice,
            mergeID: try numbers.id().text
        )
        let answer = ProviderAnswer(assertion: assertion, claims: JSONObject(), accessToken: "", idToken: nil)
        let input = SignInWithIdp.Input(signIn: signIn, answer: answer, returnsCredential: false)
        return Operation("provider", input, SignInWithIdp.init) { outcome in
            guard case .signedIn(let signedIn, _) = outcome.result else { return ([], []) }
            let learned = OperationMix.signedIn(signedIn)
            let codes = Self.codes(of: notice, at: signedIn.session.createdAt)
            return (learned.lessons + (signedIn.hasNotice ? codes : []), learned.spent)
        }
    }
}
