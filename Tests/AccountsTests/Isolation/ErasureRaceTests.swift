import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// Erasures beside requests for e-mails to the user's address, which run at READ COMMITTED, and beside uses of links.
@Suite("Erasures beside other transactions", .concurrentTransactions)
struct ErasureRaceTests {
    private static let email = "ann@example.com"

    private static func request(_ email: String = email) throws -> SignInLinkRequest {
        SignInLinkRequest(
            email: try EmailAddress(parsing: email),
            token: nil,
            asking: AskingDevice(sid: nil, uid: nil, client: "client", name: "", place: nil, locale: "en"),
            continueURL: nil,
            ids: try MailIDs()
        )
    }

    private static func scene(without lock: String?) throws -> Scene {
        try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? [])
    }

    @Test(arguments: [nil, "requested address"])
    func `an erasure deletes the e-mail whose request was in progress, because of the address's lock`(
        without lock: String?
    ) async throws {
        let scene = try Self.scene(without: lock)
        let owner = try await scene.account(Self.email)
        // The request stores the counters anew, so that the erasure has none to wait at.
        try await scene.database.write { try $0.execute("DELETE FROM limits") }
        let request = try Self.request()
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.requestSignInLink(request, in: $1)
        }
        let erase: @Sendable (AccountFlows, Transaction) throws -> Erasure? = { try $0.erase(owner.uid, in: $1) }
        let erased =
            lock == nil
            ? try await held.precede(scene, isolation: .serializable, erase).get()
            : try await held.accompany(scene, erase)
        let left = try await scene.database.read { transaction in
            (
                try transaction.ticket(request.ids.ticket.text),
                try transaction.first("SELECT count(*) FROM limits") { try $0.integer(0) }
            )
        }
        // The counter of the client, who is another person, stays.
        #expect((left.0 == nil) == (lock == nil))
        #expect((left.1 == 1) == (lock == nil))
        #expect(erased?.removed[.tickets] == (lock == nil ? 2 : 1))
    }

    @Test(arguments: [nil, "requested address"])
    func `a request that meets an erasure finds no known client, because of the address's lock`(
        without lock: String?
    ) async throws {
        let scene = try Self.scene(without: lock)
        let owner = try await scene.account(Self.email)
        try await scene.run { flows, transaction in
            let client = KnownClient(uid: owner.uid, email: Self.email, client: "client")
            try flows.remember([try flows.record(of: client)], in: transaction)
        }
        let request = try Self.request()
        let held = await HeldTransaction(in: scene) { _ = try $0.erase(owner.uid, in: $1) }
        let ask: @Sendable (AccountFlows, Transaction) throws -> Ticket = { try $0.requestSignInLink(request, in: $1) }
        let ticket = try await held.precede(scene, ask).get()
        #expect((ticket.trustedAt == nil) == (lock == nil))
    }

    @Test func `an erasure that waits for a ticket lets other addresses request e-mails`() async throws {
        let scene = try Self.scene(without: nil)
        let owner = try await scene.account(Self.email)
        let request = try Self.request()
        try await scene.run { _ = try $0.requestSignInLink(request, in: $1) }
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            try $1.lockTicket(request.ids.ticket.text, ifApproved: false)
        }
        let other = try Self.request("bob@example.com")
        let erased = try await held.precede(scene, isolation: .serializable) {
            try $0.erase(owner.uid, in: $1)
        } meanwhile: {
            try await scene.run(isolation: .readCommitted) { _ = try $0.requestSignInLink(other, in: $1) }
        }
        #expect(try erased.get() != nil)
    }

    @Test func `an erasure that waits for its user holds none of the user's links`() async throws {
        let scene = try Self.scene(without: nil)
        let owner = try await scene.account(Self.email)
        let code = StoredActionCode(
            id: "code",
            purpose: .recoverEmail,
            uid: owner.uid,
            email: Self.email,
            locale: "en",
            createdAt: scene.now,
            expiresAt: scene.now + 3_600_000
        )
        try await scene.database.write { try $0.insert(code) }
        // A call that uses the link locks the user first, and the link after it.
        let held = await HeldTransaction(in: scene) { try $1.lockUsers([owner.uid]) }
        let erased = try await held.precede(scene, isolation: .serializable) {
            try $0.erase(owner.uid, in: $1)
        } meanwhile: {
            try await scene.database.write { transaction in
                _ = try transaction.all("SELECT code FROM action_codes WHERE code = 'code' FOR UPDATE NOWAIT") { _ in }
            }
        }
        #expect(try erased.get()?.removed[.links] == 2)
    }

    /// Records that an e-mail was sent, as the worker with this name.
    private static func record(_ mail: Int64, of ticket: String, by worker: String, in transaction: Transaction) throws
        -> Int
    {
        let (_, existing) = try transaction.finishSentMails([mail], worker: worker)
        guard !existing.isEmpty else { return 0 }
        try transaction.traceOfMails([TraceEntry(.sent, of: ticket, mail: "m", detail: "250 OK")])
        return existing.count
    }

    /// Requests an e-mail to the owner, and leases it to the worker "w".
    private static func leasedMail(_ scene: Scene) async throws -> (mail: Int64, ticket: String) {
        let request = try request()
        return try await scene.run { flows, transaction in
            let ticket = try flows.requestSignInLink(request, in: transaction).id
            try transaction.execute("UPDATE outbox SET leased_by = 'w'")
            let mail = try transaction.first("SELECT id FROM outbox WHERE ticket = \(ticket)") { try $0.integer(0) }
            return (try #require(mail), ticket)
        }
    }

    private static func events(of ticket: String, in scene: Scene) async throws -> Int64? {
        try await scene.database.read { transaction in
            try transaction.first("SELECT count(*) FROM mail_trace WHERE request = \(ticket)") { try $0.integer(0) }
        }
    }

    @Test(arguments: ["w", "a worker that lost its lease"])
    func `an erasure deletes the trace of an e-mail that is being recorded as sent`(worker: String) async throws {
        let scene = try Self.scene(without: nil)
        let owner = try await scene.account(Self.email)
        let (mail, ticket) = try await Self.leasedMail(scene)
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            let count = try Self.record(mail, of: ticket, by: worker, in: $1)
            #expect(count == 1)
        }
        let erased = try await held.precede(scene, isolation: .serializable) { try $0.erase(owner.uid, in: $1) }
        #expect(try erased.get() != nil)
        #expect(try await Self.events(of: ticket, in: scene) == 0)
    }

    @Test func `an e-mail that is being erased gets no trace`() async throws {
        let scene = try Self.scene(without: nil)
        let owner = try await scene.account(Self.email)
        let (mail, ticket) = try await Self.leasedMail(scene)
        let held = await HeldTransaction(in: scene) { _ = try $0.erase(owner.uid, in: $1) }
        let recorded = try await held.precede(scene) { try Self.record(mail, of: ticket, by: "w", in: $1) }
        #expect(try recorded.get() == 0)
        #expect(try await Self.events(of: ticket, in: scene) == 0)
    }
}
