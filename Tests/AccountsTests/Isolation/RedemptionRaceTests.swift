import AccountDatabase
import Accounts
import Database
import DatabaseHarness
import Testing
import Tokens

/// The redemption of a link at READ COMMITTED beside transactions that change its ticket or the owner of its address.
@Suite("Redemptions beside other transactions", .concurrentTransactions)
struct RedemptionRaceTests {
    private let email = "ann@example.com"

    private func scene(without lock: String?) throws -> Scene {
        try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
    }

    @Test(arguments: [nil, "redeemed ticket"])
    func `wrong addresses that are tried at once are all counted, because of the ticket's lock`(
        without lock: String?
    ) async throws {
        let scene = try scene(without: lock)
        let link = try await scene.link(to: email)
        let wrong = try scene.redemption(of: "bob@example.com", code: link.code)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(wrong, in: $1)
        }
        _ = try await held.precede(scene) { try $0.redeemSignInLink(wrong, in: $1) }.get()
        let code = link.code.id.text
        let ticket = try await scene.database.read { try $0.ticket(ofCode: code) }
        #expect(ticket?.wrongAddresses == (lock == nil ? 2 : 1))
    }

    @Test(arguments: [nil, "ticket"])
    func `a redemption by approval locks its ticket before the owner of the address`(without lock: String?) async throws
    {
        let scene = try scene(without: lock)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let ticket = try await scene.run { _, transaction in
            let ticket = try #require(try transaction.ticket(ofCode: link.code.id.text)?.id)
            try transaction.enqueue("UPDATE tickets SET state = 'approved' WHERE ticket = \(ticket)")
            return ticket
        }
        let redemption = TicketRedemption(
            ticket: ticket,
            code: nil,
            onConflict: .error,
            uid: try Scene.uid(),
            opening: SessionOpening(sid: try TokenID.random().text, rotates: true),
            notice: NoticeOpening(ids: try MailIDs()),
            mergeID: "merge"
        )
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $1.all("SELECT 1 FROM tickets WHERE ticket = \(ticket) FOR UPDATE") { _ in true }
        }
        var freeOwners = 0
        let redeemed = try await held.precede(scene, isolation: .serializable) {
            try $0.redeemTicket(redemption, in: $1).decision.get()
        } meanwhile: {
            freeOwners = try await scene.run(isolation: .readCommitted, kind: "look") {
                try $1.all("SELECT 1 FROM users WHERE uid = \(owner.uid) FOR UPDATE SKIP LOCKED") { _ in true }.count
            }
        }
        #expect(try redeemed.get().user.uid == owner.uid)
        // Otherwise it would wait for a transaction that locks the ticket first, and that one for it.
        #expect(freeOwners == (lock == nil ? 1 : 0))
    }

    @Test(arguments: [nil, "redeemed ticket"])
    func `a link that a new e-mail replaces is refused, because of the ticket's lock`(without lock: String?)
        async throws
    {
        let scene = try scene(without: lock)
        let link = try await scene.link(to: email)
        // As a resend does.
        let held = await HeldTransaction(in: scene) { _, transaction in
            let code = link.code.id.text
            guard let ticket = try transaction.ticket(ofCode: code) else { return }
            _ = try transaction.useActionCode(code)
            _ = try transaction.update(ticket, from: .open)
        }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }
        #expect(redeemed.refusal == (lock == nil ? .invalidOobCode : nil), "\(redeemed)")
    }

    @Test func `a link is redeemed once`() async throws {
        let scene = try scene(without: nil)
        let link = try await scene.link(to: email)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(link, in: $1).get()
        }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }
        #expect(redeemed.refusal == .invalidOobCode, "\(redeemed)")
    }

    @Test(arguments: [nil, "owner of the address"])
    func `a sign-in to an account that is disabled meanwhile is refused, because of the owner's lock`(
        without lock: String?
    ) async throws {
        let scene = try scene(without: lock)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let held = await HeldTransaction(in: scene) { _ = try $0.setDisabled(true, owner.uid, in: $1) }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }
        #expect(redeemed.refusal == (lock == nil ? .userDisabled : nil), "\(redeemed)")
        let user = try await scene.database.read { try $0.user(owner.uid) }
        #expect(user?.isDisabled == (lock == nil))
    }

    @Test(arguments: [nil, "owner of the address"])
    func `an administrator's link to an owner who becomes an administrator is refused, because of the owner's lock`(
        without lock: String?
    ) async throws {
        let scene = try scene(without: lock)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        try await scene.database.write { try $0.execute("UPDATE tickets SET minted_at = created_at") }
        let held = await HeldTransaction(in: scene) { try $0.setAdministrator(.full, owner.uid, in: $1) }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }
        #expect(redeemed.refusal == (lock == nil ? .operationNotAllowed : nil), "\(redeemed)")
    }

    @Test(arguments: [nil, "owner of the address"])
    func `an address that its owner gives up meanwhile leads to a new account, because of the owner's lock`(
        without lock: String?
    ) async throws {
        let scene = try scene(without: lock)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let held = await HeldTransaction(in: scene) { _, transaction in
            guard var user = try transaction.user(owner.uid) else { return }
            user.email = "new@example.com"
            try transaction.update(user)
        }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }.get()
        #expect(redeemed.isNewUser == (lock == nil))
        let kept = try await scene.database.read { try $0.user(owner.uid)?.email }
        #expect(kept == (lock == nil ? "new@example.com" : email))
    }

    @Test func `of two accounts that get an address at once, the second signs in to the first`() async throws {
        let scene = try scene(without: nil)
        let links = [try await scene.link(to: email), try await scene.link(to: email)]
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            let isNewUser = try $0.redeemSignInLink(links[0], in: $1).get().isNewUser
            #expect(isNewUser)
        }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(links[1], in: $1).get() }.get()
        #expect(!redeemed.isNewUser && redeemed.user.uid == links[0].uid)
    }

    @Test func `a guest who links an address that a new account gets meanwhile is refused, and stays a guest`()
        async throws
    {
        let scene = try scene(without: nil)
        let guest = try await scene.guest()
        let link = try await scene.link(to: email)
        let linking = try await scene.redemption(of: email, by: guest, onConflict: .error)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(link, in: $1).get()
        }
        let linked = try await held.precede(scene, isolation: .serializable) {
            try $0.redeemSignInLink(linking, in: $1).get()
        }
        #expect(linked.refusal == .emailExists, "\(linked)")
        #expect(try await scene.database.read { try $0.user(guest.uid)?.isAnonymous } == true)
    }

    @Test func `a session that begins while all of its user's sessions end does not outlive them`() async throws {
        let scene = try scene(without: nil)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(link, in: $1).get()
        }
        let disabled = try await held.precede(scene, isolation: .serializable) {
            try $0.setDisabled(true, owner.uid, in: $1)
        }
        #expect(try disabled.get())
        let alive = try await scene.database.read { try $0.sessions(of: owner.uid, limit: 9).count }
        #expect(alive == 0)
    }

    @Test func `a session that begins after its user's tokens were revoked is alive`() async throws {
        let scene = try scene(without: nil)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let held = await HeldTransaction(in: scene) { _, transaction in
            let validSince = transaction.now / 1000 + 3
            try transaction.enqueue("UPDATE users SET valid_since = \(validSince) WHERE uid = \(owner.uid)")
        }
        // The redemption begins before that time, and waits until after it.
        let redeemed = try await held.precede(scene) { flows, transaction in
            scene.advance(milliseconds: 5000)
            return try flows.redeemSignInLink(link, in: transaction).get()
        }.get()
        #expect(redeemed.session.createdAt / 1000 >= redeemed.user.validSince)
    }

    @Test(arguments: [nil, "later revocation"])
    func `a serializable sign-in that sees a later revocation runs again`(without protection: String?) async throws {
        let scene = try scene(without: protection)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        let runs = Isolations()
        let redeemed = try await scene.run(isolation: .serializable, kind: "sign-in") { flows, transaction in
            runs.add(transaction.isolation)
            // After the transaction has its time, and before it has its snapshot.
            if runs.all.count == 1 { try revokeTokens(of: owner.uid, in: scene) }
            return try flows.redeemSignInLink(link, in: transaction).get()
        }
        let isAlive = redeemed.session.createdAt / 1000 >= redeemed.user.validSince
        #expect(isAlive == (protection == nil))
        #expect(runs.all.count == (protection == nil ? 2 : 1))
        let statistics = scene.database.transactionStatistics.first { $0.kind == "sign-in" }
        #expect(statistics?.repeats == (protection == nil ? 1 : 0))
    }

    @Test func `a takeover does not set back the time of a revocation that it sees`() async throws {
        let scene = try scene(without: nil)
        var owner = User(uid: try Scene.uid(), createdAt: scene.now)
        owner.email = email
        let unclaimed = owner
        try await scene.run { _, transaction in try transaction.insert(unclaimed) }
        let link = try await scene.link(to: email)
        let runs = Isolations()
        let redeemed = try await scene.run(isolation: .serializable) { flows, transaction in
            runs.add(transaction.isolation)
            if runs.all.count == 1 { try revokeTokens(of: unclaimed.uid, in: scene) }
            return try flows.redeemSignInLink(link, in: transaction).get()
        }
        #expect(redeemed.user.uid == unclaimed.uid)
        #expect(redeemed.user.validSince == scene.now / 1000 && runs.all.count == 2)
    }

    @Test(arguments: [Isolation.readCommitted, .serializable])
    func `a sign-in that sees a revocation at a time to come runs again once`(isolation: Isolation) async throws {
        let scene = try scene(without: nil)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: email)
        try await scene.run { _, transaction in
            let validSince = transaction.now / 1000 + 3600
            try transaction.enqueue("UPDATE users SET valid_since = \(validSince) WHERE uid = \(owner.uid)")
        }
        let runs = Isolations()
        let redeemed = try await scene.run(isolation: isolation) { flows, transaction in
            runs.add(transaction.isolation)
            return try flows.redeemSignInLink(link, in: transaction).get()
        }
        #expect(redeemed.user.uid == owner.uid)
        #expect(runs.all == [isolation, isolation])
    }

    /// Revokes the tokens of a user in another transaction, two seconds later.
    private func revokeTokens(of uid: String, in scene: Scene) throws {
        scene.advance(milliseconds: 2000)
        try commit("revocation", in: scene) { transaction in
            let validSince = transaction.now / 1000
            try transaction.enqueue("UPDATE users SET valid_since = \(validSince) WHERE uid = \(uid)")
        }
    }

    /// Runs another serializable transaction, and waits for its commit on this thread.
    private func commit(
        _ kind: String,
        in scene: Scene,
        _ body: @escaping @Sendable (Transaction) throws -> Void
    ) throws {
        let answers = Answers<Void>()
        scene.database.write(kind, alone: false, isolation: .serializable, body) { answers.completion(0)($0) }
        try answers.wait(for: 1)[0]?.first?.get()
    }

    @Test(arguments: [nil, Transaction.laterTakeover])
    func `a recovery code that is made while a takeover waits counts as older than it`(without protection: String?)
        async throws
    {
        let scene = try scene(without: protection)
        let owner = try await scene.account("old@example.com")
        let link = try await scene.link(to: email)
        let redeemed = try await redeem(link, whileItsTicketIsHeldIn: scene) {
            // In the same second, so that the change does not end the new session.
            scene.advance(milliseconds: 1)
            try changeAddress(of: owner.uid, to: email, in: scene)
        }
        #expect(redeemed.user.uid == owner.uid)
        #expect(try await isRecoveryDisputed(in: scene) == (protection == nil))
    }

    @Test(arguments: [nil, Transaction.laterTakeover])
    func `a recovery code that a takeover sees from its beginning counts as older than it`(without protection: String?)
        async throws
    {
        let scene = try scene(without: protection)
        let owner = try await scene.account("old@example.com")
        let link = try await scene.link(to: email)
        let runs = Isolations()
        let redeemed = try await scene.run(isolation: .serializable) { flows, transaction in
            runs.add(transaction.isolation)
            // After the transaction has its time, and before it has its snapshot.
            if runs.all.count == 1 {
                scene.advance(milliseconds: 1)
                try changeAddress(of: owner.uid, to: email, in: scene)
            }
            return try flows.redeemSignInLink(link, in: transaction).get()
        }
        #expect(redeemed.user.uid == owner.uid && runs.all.count == 1)
        #expect(try await isRecoveryDisputed(in: scene) == (protection == nil))
    }

    @Test func `a recovery code that is made after a takeover counts as newer than it`() async throws {
        let scene = try scene(without: nil)
        let owner = try await scene.account(email)
        try await scene.run { _, transaction in
            let takenOverAt = transaction.now + 1
            try transaction.enqueue("UPDATE users SET taken_over_at = \(takenOverAt) WHERE uid = \(owner.uid)")
        }
        try changeAddress(of: owner.uid, to: "new@example.com", in: scene)
        #expect(try await isRecoveryDisputed(in: scene) == false)
    }

    /// Redeems a link that has to wait for another transaction, which has locked its ticket.
    ///
    /// - Parameter meanwhile: runs while the redemption waits.
    private func redeem(
        _ link: SignInLinkRedemption,
        whileItsTicketIsHeldIn scene: Scene,
        meanwhile: () async throws -> Void = {}
    ) async throws -> SignedIn {
        let code = link.code.id.text
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) { _ = try $1.lockedTicket(ofCode: code) }
        return try await held.precede(scene, { try $0.redeemSignInLink(link, in: $1).get() }, meanwhile: meanwhile)
            .get()
    }

    /// Changes the address of a user for an administrator, in another transaction.
    private func changeAddress(of uid: String, to email: String, in scene: Scene) throws {
        var update = UserUpdate()
        update.profile.email = try EmailAddress(parsing: email)
        let (change, notice) = (update, NoticeOpening(ids: try MailIDs()))
        let flows = scene.flows.acting(as: AuditActor(.key, "test"))
        try commit("change", in: scene) { _ = try flows.update(change, of: uid, notice: notice, in: $0) }
    }

    /// Whether a takeover counts as later than the recovery code, of which there is one.
    private func isRecoveryDisputed(in scene: Scene) async throws -> Bool? {
        try await scene.database.read { transaction in
            try transaction.first(
                """
                SELECT CASE WHEN a.created_at <= u.taken_over_at THEN 1 ELSE 0 END FROM action_codes a JOIN users u ON u.uid = a.uid
                WHERE a.purpose = 'RECOVER_EMAIL'
                """
            ) { try $0.integer(0) == 1 }
        }
    }

    @Test(arguments: [nil, "later revocation"])
    func `a takeover that waited while its user got a token revokes the token`(without protection: String?) async throws
    {
        let scene = try scene(without: protection)
        let guest = try await scene.guest()
        let link = try await scene.link(to: email)
        let address = email
        try await scene.run { _, transaction in
            try transaction.enqueue("UPDATE users SET email = \(address) WHERE uid = \(guest.uid)")
        }
        let token = RefreshToken(session: try #require(TokenID(text: guest.sid)), generation: 1)
        var issuedAt: Int64 = 0
        let redeemed = try await redeem(link, whileItsTicketIsHeldIn: scene) {
            scene.advance(milliseconds: 2000)
            let refreshed = try await scene.run(isolation: .readCommitted, kind: "refresh") {
                try $0.refresh(token, in: $1).get()
            }
            issuedAt = refreshed.session.lastUsedAt / 1000
        }
        let user = redeemed.user
        #expect((user.validSince >= issuedAt) == (protection == nil), "\(user.validSince), \(issuedAt)")
    }

    @Test func `a takeover ends a link that an administrator has made meanwhile`() async throws {
        let scene = try scene(without: nil)
        var owner = User(uid: try Scene.uid(), createdAt: scene.now)
        owner.email = email
        let unclaimed = owner
        try await scene.run { _, transaction in try transaction.insert(unclaimed) }
        let link = try await scene.link(to: email)
        let request = ActionLinkRequest(
            purpose: .verifyEmail,
            email: try EmailAddress(parsing: email),
            token: nil,
            newEmail: nil,
            asking: AskingDevice(sid: nil, uid: nil, client: "client", name: "", place: nil, locale: "en"),
            continueURL: nil,
            ids: try MailIDs()
        )
        let held = await HeldTransaction(in: scene) {
            _ = try $0.acting(as: AuditActor(.key, "test")).makeActionLink(request, in: $1)
        }
        let redeemed = try await held.precede(scene) { try $0.redeemSignInLink(link, in: $1).get() }
        #expect(try redeemed.get().user.uid == owner.uid)
        let id = request.ids.actionCode.text
        let code = try await scene.database.read { try $0.actionCode(id) }
        #expect(code != nil && code?.usedAt != nil)
    }

    @Test func `a link to another address does not lock the owner of an address`() async throws {
        let scene = try scene(without: nil)
        let owner = try await scene.account(email)
        let link = try await scene.link(to: "mallory@example.com")
        let wrong = try scene.redemption(of: email, code: link.code)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.redeemSignInLink(wrong, in: $1)
        }
        let isDisabled = try await held.accompany(scene) { try $0.setDisabled(true, owner.uid, in: $1) }
        #expect(isDisabled)
    }

    @Test func `a linking locks its ticket before any user, so that it cannot deadlock with a sign-in`() async throws {
        let scene = try scene(without: nil)
        let link = try await scene.link(to: email)
        // The ticket is as far as a linking has come when it has not changed anything yet.
        #expect(try await redeem(link, whileItsTicketIsHeldIn: scene).isNewUser)
    }

    @Test func `a race for an address that is lost after conflicts is run again`() async throws {
        let scene = try scene(without: nil)
        _ = try await scene.account(email)
        let uid = try Scene.uid()
        let email = email
        let runs = Isolations()
        try await scene.run(isolation: .readCommitted) { _, transaction in
            runs.add(transaction.isolation)
            switch runs.all.count {
            case ...3: throw transaction.conflict("a conflict of the test")
            case 4:
                var user = User(uid: uid, createdAt: transaction.now)
                user.email = email
                try transaction.insert(user)
                try transaction.flush()
            default: break
            }
        }
        #expect(runs.all.count == 5)
    }

    @Test func `a deletion runs again as a serializable transaction`() async throws {
        let scene = try scene(without: nil)
        let guest = try await scene.guest()
        let isolations = Isolations()
        try await scene.run(isolation: .readCommitted, kind: "deletion") {
            isolations.add($1.isolation)
            _ = try $0.deleteUser(guest.token, in: $1)
        }
        #expect(isolations.all == [.readCommitted, .serializable])
        let statistics = scene.database.transactionStatistics.first { $0.kind == "deletion" }
        #expect(statistics?.promotions == 1 && statistics?.repeats == 0)
    }
}
