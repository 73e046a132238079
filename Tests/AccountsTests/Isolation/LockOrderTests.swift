import AccountDatabase
import Accounts
import Database
import Testing
import Tokens

/// The order in which flows lock rows, without which two transactions would wait for each other.
///
/// Each test lets a flow wait for a row that another transaction has locked. It must not have locked a row that comes
/// later in the order by then.
@Suite("The order of locks", .concurrentTransactions)
struct LockOrderTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(connections: 4)
    }

    /// Runs a flow while another transaction locks rows, and expects that other rows are free while the flow waits.
    ///
    /// - Parameters:
    ///   - held: the locked rows, as what follows FROM in a query.
    ///   - free: the rows that the flow locks or deletes later.
    private func expect(
        _ held: SQL,
        before free: SQL,
        _ flow: @escaping @Sendable (AccountFlows, Transaction) throws -> Void
    ) async throws {
        let rows = try await unlocked(free)
        #expect(rows > 0)
        let holder = await HeldTransaction(in: scene, isolation: .readCommitted) {
            let locked = try $1.all("SELECT 1 FROM \(held) FOR UPDATE") { _ in true }
            #expect(!locked.isEmpty)
        }
        let result = try await holder.precede(scene, isolation: .serializable, flow) {
            let left = try await unlocked(free)
            #expect(left == rows)
        }
        try result.get()
    }

    /// Returns the number of rows that no transaction has locked.
    private func unlocked(_ rows: SQL) async throws -> Int {
        try await scene.run(isolation: .readCommitted, kind: "look") {
            try $1.all("SELECT 1 FROM \(rows) FOR UPDATE SKIP LOCKED") { _ in true }.count
        }
    }

    private static func row(of person: Scene.Person) -> SQL { "users WHERE uid = \(person.uid)" }

    @Test func `users who are deleted together are locked by id`() async throws {
        let first = try await scene.guest(), second = try await scene.guest()
        try await expect(Self.row(of: first), before: Self.row(of: second)) { flows, transaction in
            let uids = Array([second.uid, first.uid].enumerated())
            let deleted = try flows.acting(as: AuditActor(.key, "test"))
                .deleteUsers(uids, force: true, in: transaction)
            #expect(deleted.users.count == 2)
        }
    }

    @Test func `users whom an import replaces are locked by id`() async throws {
        let first = try await scene.guest(), second = try await scene.guest()
        let users = try [second, first].map { person in
            var row = ImportRow()
            row.uid = person.uid
            return try ImportedUser(row)
        }
        try await expect(Self.row(of: first), before: Self.row(of: second)) { flows, transaction in
            var options = ImportOptions()
            options.existing = .replace
            _ = try flows.importUsers(users, options, in: transaction)
        }
    }

    @Test func `an erasure locks codes before tickets`() async throws {
        let guest = try await scene.guest()
        // The link names no user, so only its ticket leads to it.
        let ids = try MailIDs()
        let request = SignInLinkRequest(
            email: try EmailAddress(parsing: "ann@example.com"),
            token: guest.token,
            asking: AskingDevice(sid: nil, uid: nil, client: "client", name: "", place: nil, locale: "en"),
            continueURL: nil,
            ids: ids
        )
        try await scene.run { _ = try $0.requestSignInLink(request, in: $1) }
        let code = ids.actionCode.text, ticket = ids.ticket.text
        try await expect("action_codes WHERE code = \(code)", before: "tickets WHERE ticket = \(ticket)") {
            let erasure = try $0.acting(as: AuditActor(.key, "test")).erase(guest.uid, in: $1)
            #expect(erasure != nil)
        }
    }

    @Test(arguments: ["end", "replacement", "purge"])
    func `the end of a browser session locks its user first`(_ cause: String) async throws {
        let guest = try await scene.guest()
        let id = try TokenID.random(), next = try TokenID.random()
        let begin: @Sendable (TokenID, TokenID?, AccountFlows, Transaction) throws -> Void = {
            let session = try #require(try $3.sessionAndUser(guest.sid)?.session)
            let opening = BrowserSessionOpening(page: .account, id: $0, replaced: $1)
            try $2.openBrowserSession(opening, in: session, opensSession: true, in: $3)
        }
        try await scene.run { try begin(id, nil, $0, $1) }
        if cause == "purge" { scene.advance(milliseconds: 400 * 86_400_000) }
        try await expect(Self.row(of: guest), before: "browser_sessions WHERE uid = \(guest.uid)") {
            switch cause {
            case "end": #expect(try $0.endBrowserSession(id, at: .account, in: $1) == guest.uid)
            case "replacement": try begin(next, id, $0, $1)
            default: #expect(try $1.purge(limit: 9, auditLife: 1000, mailDelay: 1000) > 0)
            }
        }
    }

    @Test(arguments: [false, true])
    func `the cancellation of a merge locks its guest first`(isAbandoned: Bool) async throws {
        let guest = try await scene.guest(), owner = try await scene.account("ann@example.com")
        try await scene.run { try $1.prepareMerge("m", of: guest.uid, into: owner.uid, lease: 1) }
        try await expect(Self.row(of: guest), before: "merges WHERE merge = 'm'") {
            let cancelled =
                isAbandoned
                ? try $0.cancelAbandonedMerges(limit: 9, in: $1) == ["m"] : try $0.cancelMerge("m", reason: "r", in: $1)
            #expect(cancelled)
        }
    }

    @Test func `counters that are lifted are locked by name`() async throws {
        try await scene.run {
            // Stored in the other order, in which a scan of the table would find them.
            for name in ["denials:c:x", "denials:c"] { _ = try $1.count(name, in: 3_600_000) }
        }
        try await expect("limits WHERE name = 'denials:c'", before: "limits WHERE name = 'denials:c:x'") {
            let lifted = try $0.liftLimits(ofClients: ["c"], label: "network", in: $1)
            #expect(lifted.counters == 2)
        }
    }

    @Test func `a new e-mail for an expired link locks the ticket before counters`() async throws {
        let link = try await scene.link(to: "ann@example.com")
        let tickets: SQL = "tickets WHERE email = 'ann@example.com'"
        try await scene.run { flows, transaction in
            let ticket = try #require(try transaction.first("SELECT ticket FROM \(tickets)") { try $0.text(0) })
            try transaction.record(.sent, ofMailFor: ticket, endingAfter: flows.policy.signInLinkLife)
        }
        scene.advance(milliseconds: 86_400_000)
        try await expect(tickets, before: "limits") {
            let ids = try MailIDs()
            let answer = try $0.resend(link.code, client: "client", ids: ids, in: $1)
            guard case .resent = answer else { throw Refusal(.invalidOobCode) }
        }
    }
}
