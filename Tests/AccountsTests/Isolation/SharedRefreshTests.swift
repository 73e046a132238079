import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// Refreshes of several calls in one statement.
@Suite("Refreshes that share a transaction", .concurrentTransactions)
struct SharedRefreshTests {
    /// What happened to a session of generation 5.
    private static let changes = [
        "nothing", "session ended", "user disabled", "contested", "half contested", "revoked", "unused for too long",
        "unused for long", "absolute end", "just before the absolute end", "guest past the absolute end",
        "another exchange just now", "fixed", "session missing", "user missing",
    ]

    private static let policy: @Sendable (inout Policy) -> Void = { policy in
        policy.sessionLife = 1_000_000
        policy.sessionAbsoluteLife = 500_000
        policy.refreshGrace = 20_000
    }

    private static func token(of sid: String, generation: Int64) throws -> RefreshToken {
        RefreshToken(session: try #require(TokenID(text: sid)), generation: generation)
    }

    /// Makes the session of a case, at generation 5.
    private func person(_ change: String, _ scene: Scene) async throws -> Scene.Person {
        let person = try await scene.guest()
        let uid = person.uid, sid = person.sid
        try await scene.run { _, transaction in
            let now = transaction.now
            try transaction.enqueue(
                "UPDATE sessions SET generation = 5, generation_at = \(now - 30_000) WHERE sid = \(sid)"
            )
            if change != "guest past the absolute end" {
                try transaction.enqueue("UPDATE users SET anonymous_since = NULL WHERE uid = \(uid)")
            }
            let statement: SQL? =
                switch change {
                case "session ended": "UPDATE sessions SET ended_at = 1 WHERE sid = \(sid)"
                case "user disabled": "UPDATE users SET disabled_at = 1 WHERE uid = \(uid)"
                case "contested": "UPDATE users SET contested_at = 1, contested_email = 'a' WHERE uid = \(uid)"
                case "half contested": "UPDATE users SET contested_at = 1 WHERE uid = \(uid)"
                case "revoked": "UPDATE users SET valid_since = \(now / 1000 + 10) WHERE uid = \(uid)"
                case "unused for too long": "UPDATE sessions SET last_used_at = \(now - 1_100_000) WHERE sid = \(sid)"
                case "unused for long": "UPDATE sessions SET last_used_at = \(now - 900_000) WHERE sid = \(sid)"
                case "absolute end", "guest past the absolute end":
                    "UPDATE sessions SET auth_time = \(now / 1000 - 501) WHERE sid = \(sid)"
                case "just before the absolute end":
                    "UPDATE sessions SET auth_time = \(now / 1000 - 480) WHERE sid = \(sid)"
                case "another exchange just now": "UPDATE sessions SET generation_at = \(now) WHERE sid = \(sid)"
                case "fixed": "UPDATE sessions SET generation = 1, fixed_since = 1 WHERE sid = \(sid)"
                case "session missing": "DELETE FROM sessions WHERE sid = \(sid)"
                case "user missing": "DELETE FROM users WHERE uid = \(uid)"
                default: nil
                }
            if let statement { try transaction.enqueue(statement) }
        }
        return person
    }

    /// What a refresh led to, without what differs between two users.
    private func summary(_ result: Result<Decision<Refreshed>, any Error>) throws -> String {
        switch result {
        case .success(.done(let refreshed)):
            "\(refreshed.generation), stored \(refreshed.session.generation), \(refreshed.identities.map(\.provider))"
        case .success(.refused(let refusal)): "stored refusal \(refusal.code)"
        case .failure(let refusal as Refusal): "refusal \(refusal.code) \(refusal.isOfReplacedSession)"
        case .failure(let error): throw error
        }
    }

    private func stored(_ person: Scene.Person, _ scene: Scene) async throws -> String {
        let found = try await scene.database.read { try $0.sessionAndUser(person.sid) }
        guard let session = found?.session else { return "none" }
        let now = scene.now
        return "\(session.generation) \(session.generationAt == now) \(session.lastUsedAt == now) "
            + "\(session.endedAt != nil) \(found?.user?.lastRefreshAt == now)"
    }

    @Test(arguments: changes)
    func `each token gets the answer that it gets alone, and leaves the same session`(change: String) async throws {
        let together = try Scene(connections: 2, Self.policy), alone = try Scene(connections: 2, Self.policy)
        for generation in Int64(-1)...6 {
            let person = try await person(change, together), twin = try await self.person(change, alone)
            for each in [(together, person), (alone, twin)] {
                let identity = Identity(uid: each.1.uid, provider: "p", subject: each.1.uid)
                if change != "user missing" { try await each.0.run { try $1.put(identity) } }
            }
            let token = try Self.token(of: person.sid, generation: generation)
            let other = try Self.token(of: twin.sid, generation: generation)
            let shared = try await together.run(isolation: .readCommitted) {
                try $0.refresh([token, token], in: $1)
            }
            let single: Result<Decision<Refreshed>, any Error>
            do {
                single = .success(try await alone.run(isolation: .readCommitted) { try $0.refresh(other, in: $1) })
            } catch {
                single = .failure(error)
            }
            let expected = try summary(single)
            for result in shared {
                guard let result else {
                    // Goes alone.
                    #expect(expected.hasPrefix("stored refusal") || change == "user missing", "\(generation)")
                    continue
                }
                #expect(try summary(result) == expected, "\(generation)")
                #expect(try await stored(person, together) == stored(twin, alone), "\(generation)")
            }
        }
    }

    @Test func `a session that another transaction uses goes alone, and the others do not wait`() async throws {
        let scene = try Scene(connections: 4)
        let people = [try await scene.guest(), try await scene.guest(), try await scene.guest()]
        let tokens = try people.map { try Self.token(of: $0.sid, generation: 1) }
        let (heldToken, heldUID) = (tokens[0], people[1].uid)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { flows, transaction in
            _ = try flows.refresh(heldToken, in: transaction).get()
            try transaction.enqueue("SELECT 1 FROM users WHERE uid = \(heldUID) FOR UPDATE")
        }
        let results = try await held.accompany(scene, isolation: .readCommitted) { try $0.refresh(tokens, in: $1) }
        #expect(results[0] == nil && results[1] == nil)
        #expect(try results[2]?.get().get().generation == 2)
        let generations = try await scene.database.read { transaction in
            try people.map { try transaction.sessionAndUser($0.sid)?.session.generation }
        }
        #expect(generations == [2, 1, 2])
    }

    @Test func `of two tokens of one session, the second goes alone`() async throws {
        let scene = try Scene(connections: 2)
        let person = try await scene.guest()
        let tokens = try [1, 2].map { try Self.token(of: person.sid, generation: $0) }
        let results = try await scene.run(isolation: .readCommitted) { try $0.refresh(tokens, in: $1) }
        #expect(try results[0]?.get().get().generation == 2)
        #expect(results[1] == nil)
    }
}
