import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// A refresh at READ COMMITTED beside transactions that end the session.
@Suite("Refreshes beside other transactions", .concurrentTransactions)
struct RefreshRaceTests {
    /// A change after which the session yields no tokens any more.
    enum Ending: CaseIterable {
        case sessionEnds, userIsDisabled, tokensAreRevoked, everything

        func apply(to person: Scene.Person, _ flows: AccountFlows, in transaction: Transaction) throws {
            switch self {
            case .sessionEnds: try flows.endSession(person.sid, ofUser: person.uid, in: transaction)
            case .userIsDisabled: try transaction.enqueue("UPDATE users SET disabled_at = 1 WHERE uid = \(person.uid)")
            case .tokensAreRevoked:
                try transaction.enqueue("UPDATE users SET valid_since = 9999999999 WHERE uid = \(person.uid)")
            case .everything: _ = try flows.setDisabled(true, person.uid, in: transaction)
            }
        }
    }

    private func token(of person: Scene.Person, generation: Int64 = 1) throws -> RefreshToken {
        RefreshToken(session: try #require(TokenID(text: person.sid)), generation: generation)
    }

    @Test(arguments: Ending.allCases, [true, false])
    func `a refresh that waited for the end of its session is refused, because of its lock`(
        ending: Ending,
        takesLock: Bool
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: takesLock ? [] : ["refreshed session"])
        let person = try await scene.guest()
        let token = try token(of: person)
        let held = await HeldTransaction(in: scene) { try ending.apply(to: person, $0, in: $1) }
        let refreshed = try await held.precede(scene) { try $0.refresh(token, in: $1).get() }
        #expect((refreshed.refusal != nil) == takesLock, "\(refreshed)")
    }

    @Test(arguments: [nil, "owner of an ended session"])
    func `two sessions do not end each other while one is refreshed, because of their user's lock`(
        without lock: String?
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
        let first = try await scene.account("ann@example.com"), second = try await scene.account("ann@example.com")
        let token = try token(of: first)
        let ended: @Sendable (AccountFlows, Transaction) throws -> Bool = { flows, transaction in
            do {
                try flows.endSession(first.sid, of: second.token, in: transaction)
                return true
            } catch let refusal as Refusal where refusal.code == .tokenExpired {
                return false
            }
        }
        let held = await HeldTransaction(in: scene) { try $0.endSession(second.sid, of: first.token, in: $1) }
        if lock == nil {
            let refresh = Task {
                try await scene.run(isolation: .readCommitted) { try $0.refresh(token, in: $1).get() }
            }
            let isEnded = try await held.precede(scene, isolation: .serializable, ended).get()
            #expect(!isEnded)
            _ = try await refresh.value
        } else {
            _ = try await scene.run(isolation: .readCommitted) { try $0.refresh(token, in: $1).get() }
            let isEnded = try await held.accompany(scene, ended)
            #expect(isEnded)
        }
    }

    @Test(arguments: [nil, "owner of an ended session"])
    func `a merge that began before its session ended is refused, because the end rewrites the user`(
        without lock: String?
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
        let owner = try await scene.account("ann@example.com"), guest = try await scene.guest()
        let request = MergeRequest(token: owner.token, anonymousToken: guest.token, id: "merge", isDryRun: false)
        let held = await HeldTransaction(in: scene) { try $0.endSession(owner.sid, ofUser: owner.uid, in: $1) }
        if lock == nil {
            let merged = try await held.precede(scene, isolation: .serializable) { try $0.merge(request, in: $1) }
            #expect(merged.refusal == .tokenExpired, "\(merged)")
        } else {
            let merged = try await held.accompany(scene) { try $0.merge(request, in: $1) }
            #expect(merged.guestUID == guest.uid)
        }
    }

    @Test(arguments: [true, false])
    func `a refresh that waited for another of the same token repeats its answer, because of its lock`(
        takesLock: Bool
    ) async throws {
        let scene = try Scene(connections: 4, omittedProtections: takesLock ? [] : ["refreshed session"])
        let person = try await scene.guest()
        let first = try token(of: person), second = try token(of: person, generation: 2)
        _ = try await scene.run { try $0.refresh(first, in: $1).get() }
        // The held transactions use up the second token, and the third one.
        let third = try token(of: person, generation: 3)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.refresh(second, in: $1).get()
            _ = try $0.refresh(third, in: $1).get()
        }
        let repeated = try await held.precede(scene) { try $0.refresh(second, in: $1).get() }
        #expect(try repeated.get().generation == 3)
        let stored = try await scene.database.read { try $0.sessionAndUser(person.sid)?.session.generation }
        // Without the lock, the generation goes back, and the newest token counts as stolen.
        #expect(stored == (takesLock ? 4 : 3))
    }

    @Test func `a user who is disabled while a refresh is in progress has no session left`() async throws {
        let scene = try Scene(connections: 4)
        let person = try await scene.guest()
        let token = try token(of: person)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.refresh(token, in: $1).get()
        }
        let disabled = try await held.precede(scene, isolation: .serializable) {
            try $0.setDisabled(true, person.uid, in: $1)
        }
        #expect(try disabled.get())
        let (session, user) = try #require(try await scene.database.read { try $0.sessionAndUser(person.sid) })
        #expect(session.endedAt != nil && user?.isDisabled == true)
        #expect(session.generation == 2 && user?.lastRefreshAt == session.lastUsedAt)
    }
}
