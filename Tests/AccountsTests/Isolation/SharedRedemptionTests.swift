import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// Redemptions of several calls in one transaction.
@Suite("Redemptions that share a transaction", .concurrentTransactions)
struct SharedRedemptionTests {
    private static let email = "ann@example.com"

    /// What happened to the link to ``email``, or to its owner, before the redemption.
    private static let changes = [
        "no owner", "owner", "owner with an identity", "disabled owner", "owner in a merge", "link used",
        "link replaced", "link unknown", "other purpose", "ended", "approved", "expired", "just before the end",
        "tried with too many addresses", "administrator's link without owner",
    ]
    /// The same, of which each needs a transaction of its own.
    private static let changesThatGoAlone = [
        "wrong address", "unclaimed owner", "administrator's link to an owner", "tokens revoked later",
    ]

    /// Makes a link, and a call that redeems it after a change.
    private static func redemption(after change: String, _ scene: Scene) async throws -> SignInLinkRedemption {
        let hasOwner = change.contains("owner") && !change.contains("no owner") && !change.contains("without owner")
        let needsOwner = hasOwner || change == "tokens revoked later"
        let owner = needsOwner ? try await scene.account(email) : nil
        let link = try await scene.link(to: email)
        let code = link.code.id.text
        if change == "link used" { _ = try await scene.redeem(try scene.redemption(of: email, code: link.code)) }
        let ticket: SQL = "(SELECT ticket FROM action_codes WHERE code = \(code))"
        try await scene.run { flows, transaction in
            let now = transaction.now, most = flows.policy.wrongAddressesPerLink
            let statement: SQL? =
                switch change {
                case "disabled owner": "UPDATE users SET disabled_at = 1"
                case "owner in a merge": "UPDATE users SET merge_id = 'm'"
                case "link replaced": "UPDATE action_codes SET used_at = 1 WHERE code = \(code)"
                case "link unknown": "DELETE FROM action_codes WHERE code = \(code)"
                case "ended", "approved": "UPDATE tickets SET state = \(change) WHERE ticket = \(ticket)"
                case "expired": "UPDATE tickets SET ends_at = \(now) WHERE ticket = \(ticket)"
                case "just before the end": "UPDATE tickets SET ends_at = \(now + 5000) WHERE ticket = \(ticket)"
                case "tried with too many addresses":
                    "UPDATE tickets SET wrong_addresses = \(most) WHERE ticket = \(ticket)"
                case "administrator's link without owner", "administrator's link to an owner":
                    "UPDATE tickets SET minted_at = created_at WHERE ticket = \(ticket)"
                case "unclaimed owner": "UPDATE users SET email_verified_at = NULL"
                case "tokens revoked later": "UPDATE users SET valid_since = \(now / 1000 + 10)"
                default: nil
                }
            if let statement { try transaction.enqueue(statement) }
            if let owner, change == "owner with an identity" {
                try transaction.put(Identity(uid: owner.uid, provider: "p", subject: "s"))
            }
        }
        switch change {
        case "wrong address": return try scene.redemption(of: "bob@example.com", code: link.code)
        case "other purpose":
            let code = ActionCode(id: link.code.id, purpose: .verifyEmail, expiry: link.code.expiry)
            return try scene.redemption(of: email, code: code)
        default: return link
        }
    }

    /// What a redemption leads to.
    private struct Outcome: Equatable {
        /// The answer; `nil` if the call goes alone.
        let answer: String?
        /// Everything that is stored, but for numbers of rows.
        let rows: [String]
    }

    /// Runs a redemption and rolls it back.
    private static func outcome(
        in transaction: Transaction,
        _ redeem: (Transaction) throws -> Decision<SignedIn>?
    ) throws -> Outcome {
        try transaction.dryRun { transaction in
            let answer: String?
            do {
                answer = try redeem(transaction).map { "\($0)" }
            } catch let refusal as Refusal {
                answer = "\(refusal.code) \(refusal.detail ?? "")"
            }
            let tables = ["users", "sessions", "tickets", "action_codes", "audit_log", "identities"]
            let rows = try tables.flatMap { table in
                try transaction.all(
                    "SELECT CAST(to_jsonb(t) - 'id' - 'user_number' AS TEXT) FROM \(identifier: table) t ORDER BY 1"
                ) { "\(table) \(try $0.text(0))" }
            }
            return Outcome(answer: answer, rows: rows)
        }
    }

    /// Returns what a redemption leads to in a shared transaction and alone, and what is stored before.
    private static func outcomes(
        after change: String
    ) async throws -> (shared: Outcome, alone: Outcome, before: [String]) {
        let scene = try Scene(connections: 2)
        let redemption = try await redemption(after: change, scene)
        return try await scene.run { flows, transaction in
            (
                try outcome(in: transaction) {
                    let results = try flows.redeemSignInLinks([redemption], in: $0)
                    #expect(results.count == 1)
                    return try results.first?.map { try $0.get() }
                },
                try outcome(in: transaction) { try flows.redeemSignInLink(redemption, in: $0) },
                try outcome(in: transaction) { _ in nil }.rows
            )
        }
    }

    @Test(arguments: changes)
    func `each call gets the answer that it gets alone, and leaves the same rows`(change: String) async throws {
        let (shared, alone, _) = try await Self.outcomes(after: change)
        #expect(shared == alone)
        #expect(shared.answer != nil)
    }

    @Test(arguments: changesThatGoAlone)
    func `a call that needs a transaction of its own changes nothing`(change: String) async throws {
        let (shared, alone, before) = try await Self.outcomes(after: change)
        #expect(shared.answer == nil && shared.rows == before)
        #expect(alone.answer != nil)
    }

    @Test func `a link that another transaction uses goes alone, and the others do not wait`() async throws {
        let scene = try Scene(connections: 4)
        let emails = ["ann", "bob", "eve", "dan"].map { "\($0)@example.com" }
        let owner = try await scene.account(emails[1])
        _ = try await scene.account(emails[2])
        var links: [SignInLinkRedemption] = []
        for email in emails { links.append(try await scene.link(to: email)) }
        let redemptions = links
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { _, transaction in
            _ = try transaction.lockedTicket(ofCode: redemptions[0].code.id.text)
            try transaction.enqueue("SELECT 1 FROM users WHERE uid = \(owner.uid) FOR UPDATE")
        }
        let results = try await held.accompany(scene, isolation: .readCommitted) {
            try $0.redeemSignInLinks(redemptions, in: $1)
        }
        #expect(results[0] == nil && results[1] == nil)
        #expect(try results[2]?.get().get().isNewUser == false)
        #expect(try results[3]?.get().get().isNewUser == true)
        for redemption in redemptions[...1] { _ = try await scene.redeem(redemption) }
    }

    @Test func `of two links to one address, the second goes alone`() async throws {
        let scene = try Scene(connections: 2)
        let links = [try await scene.link(to: Self.email), try await scene.link(to: Self.email)]
        let results = try await scene.run(isolation: .readCommitted) { try $0.redeemSignInLinks(links, in: $1) }
        #expect(try results[0]?.get().get().isNewUser == true)
        #expect(results[1] == nil)
        #expect(try await !scene.redeem(links[1]).isNewUser)
    }

    @Test func `of two calls with one link, the second goes alone, and is refused`() async throws {
        let scene = try Scene(connections: 2)
        let link = try await scene.link(to: Self.email)
        let calls = [link, try scene.redemption(of: Self.email, code: link.code)]
        let results = try await scene.run(isolation: .readCommitted) { try $0.redeemSignInLinks(calls, in: $1) }
        #expect(results[0] != nil && results[1] == nil)
        await #expect(throws: Refusal.self) { try await scene.redeem(calls[1]) }
    }

    @Test func `a link to another address does not lock the owner of an address`() async throws {
        let scene = try Scene(connections: 4)
        let owner = try await scene.account(Self.email)
        let link = try await scene.link(to: "mallory@example.com")
        let wrong = try scene.redemption(of: Self.email, code: link.code)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLinks([wrong], in: $1)
        }
        let isDisabled = try await held.accompany(scene) { try $0.setDisabled(true, owner.uid, in: $1) }
        #expect(isDisabled)
    }

    @Test func `a new account waits only for a moment for another one with its address`() async throws {
        let scene = try Scene(connections: 4)
        let links = [try await scene.link(to: Self.email), try await scene.link(to: Self.email)]
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(links[0], in: $1).get()
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await held.accompany(scene, isolation: .readCommitted) { try $0.redeemSignInLinks([links[1]], in: $1) }
        }
        #expect(error?.kind == .busy)
    }
}
