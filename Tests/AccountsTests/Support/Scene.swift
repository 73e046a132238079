import Accounts
import Database
import JSON
import PostgreSQLHarness
import Synchronization
import Tokens

/// The flows on a database of their own, at a time that the test sets, with statements that fail on request.
final class Scene: Sendable {
    let flows: AccountFlows
    var database: any Database { store.database }
    private let store: TestStore
    private let statements: Statements

    /// Counts statements, and makes one fail.
    private final class Statements: Sendable {
        let state = Mutex<(count: Int, failing: Int?)>((0, nil))
    }

    /// The error of the statement that the test makes fail.
    static let fault = DatabaseError(.internal, message: "a fault of the test")

    init(
        connections: Int = 1,
        omittedProtections: Set<String> = [],
        _ change: (inout Policy) -> Void = { _ in }
    ) throws {
        let statements = Statements()
        self.statements = statements
        let time = Clock()
        self.time = time
        store = try TestStore(
            connections: connections,
            clock: { time.now.load(ordering: .relaxed) },
            omittedProtections: omittedProtections
        ) { (_) throws(DatabaseError) in
            let fails = statements.state.withLock { state in
                state.count += 1
                return state.count == state.failing
            }
            if fails { throw Scene.fault }
        }
        var policy = Policy()
        change(&policy)
        flows = AccountFlows(policy: policy, secrets: try ServerSecrets(text: Scene.secret))
    }

    private final class Clock: Sendable {
        let now = Atomic<Int64>(1_900_000_000_000)
    }

    private let time: Clock
    static let secret = String(repeating: "s", count: 40)

    /// Milliseconds since 1970.
    var now: Int64 { time.now.load(ordering: .relaxed) }

    func advance(milliseconds: Int64) { time.now.add(milliseconds, ordering: .relaxed) }

    /// Runs a flow in a transaction, a second after the previous one.
    @discardableResult
    func run<T: Sendable>(
        alone: Bool = false,
        isolation: Isolation = .serializable,
        kind: String = "scene",
        _ body: @escaping @Sendable (AccountFlows, Transaction) throws -> T
    ) async throws -> T {
        advance(milliseconds: 1000)
        return try await database.write(kind: kind, alone: alone, isolation: isolation) { [flows] transaction in
            try body(flows, transaction)
        }
    }

    /// Counts the statements that a body ran, making the one of this number fail.
    func statements(failing: Int?, _ body: () async throws -> Void) async -> (count: Int, error: (any Error)?) {
        statements.state.withLock { $0 = (0, failing) }
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        return statements.state.withLock { state in
            defer { state.failing = nil }
            return (state.count, failure)
        }
    }

    /// Returns the whole content of the database, one line for each row.
    func dump(without ignored: Set<String> = []) throws -> [String] {
        try database.readNow { try $0.dump(without: ignored) }
    }

    // MARK: People

    /// A person's token, in parts.
    struct Person: Sendable, Equatable {
        let uid: String
        let sid: String
        let issuedAt: Int64
        let provider: SignInProvider

        var token: PresentedToken { token(isExpired: false) }

        func token(isExpired: Bool) -> PresentedToken {
            PresentedToken(
                uid: uid,
                sid: sid,
                issuedAt: issuedAt,
                authTime: issuedAt,
                provider: provider,
                isExpired: isExpired
            )
        }

        init(_ signedIn: SignedIn) {
            uid = signedIn.user.uid
            sid = signedIn.session.sid
            issuedAt = signedIn.session.lastUsedAt / 1000
            provider = signedIn.session.provider
        }
    }

    static func opening() throws -> SessionOpening { SessionOpening(sid: try TokenID.random().text, rotates: true) }

    static func uid() throws -> String { String(try TokenID.random().text.reversed()) }

    func guest() async throws -> Person {
        let signUp = GuestSignUp(
            ids: GuestIDs(uid: try Self.uid(), sid: try TokenID.random().text),
            rotates: true
        )
        return Person(try await run { try $0.signUpAnonymously(signUp, in: $1) })
    }

    /// Requests a link without a session.
    func link(to email: String) async throws -> SignInLinkRedemption {
        try await redemption(of: email, by: nil, onConflict: .error)
    }

    /// Returns a call that redeems a new link.
    func redemption(
        of email: String,
        by person: Person?,
        onConflict: OnConflict
    ) async throws -> SignInLinkRedemption {
        let ids = try MailIDs()
        let asking = AskingDevice(sid: nil, uid: nil, client: "client", name: "", place: nil, locale: "en")
        let address = try EmailAddress(parsing: email)
        let ticket = try await run {
            try $0.requestSignInLink(
                SignInLinkRequest(email: address, token: nil, asking: asking, continueURL: nil, ids: ids),
                in: $1
            )
        }
        return SignInLinkRedemption(
            email: address,
            code: ActionCode(id: ids.actionCode, purpose: .emailSignIn, expiry: ticket.expiresAt / 1000),
            token: person?.token,
            onConflict: onConflict,
            uid: try Self.uid(),
            opening: try Self.opening(),
            notice: NoticeOpening(ids: try MailIDs()),
            mergeID: try TokenID.random().text
        )
    }

    /// Returns a call without a session that redeems a link for an address.
    func redemption(of email: String, code: ActionCode) throws -> SignInLinkRedemption {
        SignInLinkRedemption(
            email: try EmailAddress(parsing: email),
            code: code,
            token: nil,
            onConflict: .error,
            uid: try Self.uid(),
            opening: try Self.opening(),
            notice: NoticeOpening(ids: try MailIDs()),
            mergeID: try TokenID.random().text
        )
    }

    func redeem(_ redemption: SignInLinkRedemption) async throws -> SignedIn {
        try await run { try $0.redeemSignInLink(redemption, in: $1) }.get()
    }

    func account(_ email: String) async throws -> Person {
        Person(try await redeem(try await link(to: email)))
    }

    func set(_ id: String, in collection: String, to content: String, by person: Person) async throws {
        let name = try DocumentName(collection: collection, id: id)
        try await run { try $0.write([DocumentWrite(name, .set(content))], of: person.token, in: $1) }
    }

    /// Returns a user's documents by `collection/id`.
    func documents(of uid: String) throws -> [String: String] {
        try database.readNow { transaction in
            try transaction.all(
                "SELECT collection, name, content FROM documents WHERE uid = \(uid)"
            ) { ("\(try $0.text(0))/\(try $0.text(1))", try $0.text(2)) }
        }
        .reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
