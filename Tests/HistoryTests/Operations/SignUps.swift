import Accounts
import Tokens

@testable import Server

extension OperationMix {
    static let signUp = Kind(share: 4) { _, draw in try draw.guestSignUp() }

    static let keyedSignUp = Kind(share: 4) { mix, draw in try draw.keyedSignUp(mix) }

    static let customToken = Kind(share: 4) { mix, draw in
        let uid = draw.chosenUID()
        let input = CustomTokenSignIn(uid: uid, claims: nil, opening: try draw.opening())
        return Operation("custom token", input, SignInWithCustomToken.init, learn: signedIn)
    }

    /// What clients learn from a sign-in, and the ticket that it used up.
    @Sendable
    static func signedIn(_ signedIn: SignedIn) -> (lessons: [Lesson], spent: [String]) {
        ([.session(KnownSession(signedIn))], signedIn.redeemed.map { ["ticket \($0.id)"] } ?? [])
    }
}

extension Draw {
    mutating func guestSignUp() throws -> Operation {
        let ids = GuestIDs(uid: try uid(), sid: try numbers.id().text)
        let input = GuestSignUp(ids: ids, rotates: numbers.chance(80))
        return Operation("sign-up", input, SignUp.init, learn: OperationMix.signedIn)
    }

    /// A sign-up with one of few idempotency keys.
    mutating func keyedSignUp(_ mix: OperationMix) throws -> Operation {
        let key = Int.random(in: 0..<OperationMix.keys, using: &numbers)
        var ofKey = SeededNumbers(mix.seed, -1 - key)
        let ids = GuestIDs(uid: try ofKey.id().text, sid: try ofKey.id().text)
        let input = GuestSignUp(ids: ids, earlier: [ids], rotates: true)
        return Operation("sign-up with key", input, SignUp.init, learn: OperationMix.signedIn)
    }
}
