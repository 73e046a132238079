import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

@Suite("Sign-ups that share a transaction")
struct SharedSignUpTests {
    private func signUps(_ count: Int) throws -> [GuestSignUp] {
        try (0..<count).map { number in
            GuestSignUp(
                ids: GuestIDs(uid: try Scene.uid(), sid: try TokenID.random().text),
                rotates: number.isMultiple(of: 2),
                device: #"Device "\#(number)", \{}'"#
            )
        }
    }

    /// Everything that is stored of guests, but for their numbers.
    private func rows(_ scene: Scene, _ signUps: [GuestSignUp]) async throws -> [String] {
        try await scene.database.read { transaction in
            try signUps.map { signUp in
                let found = try #require(try transaction.sessionAndUser(signUp.ids.sid))
                let numbers = try transaction.first(
                    """
                    SELECT u.cleanup_at, CASE WHEN s.user_number = u.id THEN 1 ELSE 0 END
                    FROM users u JOIN sessions s ON s.uid = u.uid WHERE u.uid = \(signUp.ids.uid)
                    """
                ) { "\(try $0.optionalInteger(0) ?? 0) \(try $0.integer(1))" }
                return "\(found) \(numbers ?? "")"
            }
        }
    }

    @Test(arguments: [1, 2, 33], [true, false])
    func `guests are stored as they are one by one`(count: Int, isCleaned: Bool) async throws {
        let together = try Scene(), alone = try Scene()
        let signUps = try signUps(count)
        for scene in [together, alone] where isCleaned {
            try await scene.run { try $1.set("cleanup-guests-after", to: "1000") }
        }
        let created = try await together.run(isolation: .readCommitted) { try $0.signUpAnonymously(signUps, in: $1) }
        let expected = try await alone.run { flows, transaction in
            try signUps.map { try flows.signUpAnonymously($0, in: transaction) }
        }
        #expect(created == expected)
        #expect(try await rows(together, signUps) == rows(alone, signUps))
    }
}
