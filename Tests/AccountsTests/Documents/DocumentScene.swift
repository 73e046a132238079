import AccountDatabase
import Accounts
import Database
import JSON
import Synchronization
import Testing
import Tokens

/// The flows on a database of their own, with one user who writes.
final class DocumentScene: Sendable {
    var database: any Database { store.database }
    let token: PresentedToken
    private let secrets: ServerSecrets
    private let store: TestStore
    private let statements: Noted

    private final class Noted: Sendable {
        let list = Mutex<[String]>([])
    }

    init() async throws {
        let noted = Noted()
        statements = noted
        store = try TestStore(onStatement: { text in noted.list.withLock { $0.append(text) } })
        secrets = try ServerSecrets(text: String(repeating: "s", count: 40))
        token = try await Self.user("ann", in: store.database)
    }

    /// Makes a user with a session, and returns its token.
    static func user(_ uid: String, in database: any Database) async throws -> PresentedToken {
        let opening = SessionOpening(sid: try TokenID.random().text, rotates: true)
        return try await database.write { transaction in
            try transaction.insert(User(anonymous: uid, at: transaction.now))
            try transaction.insert(Session(opening, uid: uid, provider: .anonymous, at: transaction.now))
            return PresentedToken(
                uid: uid,
                sid: opening.sid,
                issuedAt: transaction.now / 1000,
                authTime: transaction.now / 1000,
                provider: .anonymous,
                isExpired: false
            )
        }
    }

    func flows(_ limits: DocumentLimits = DocumentLimits()) -> AccountFlows {
        var policy = Policy()
        policy.documents = limits
        return AccountFlows(policy: policy, secrets: secrets)
    }

    @discardableResult
    func write(
        _ writes: DocumentWrite...,
        within limits: DocumentLimits = DocumentLimits(),
        by token: PresentedToken? = nil
    ) async throws -> WrittenDocuments {
        try await write(writes, within: limits, by: token)
    }

    @discardableResult
    func write(
        _ writes: [DocumentWrite],
        within limits: DocumentLimits = DocumentLimits(),
        by token: PresentedToken? = nil
    ) async throws -> WrittenDocuments {
        let (flows, token) = (flows(limits), token ?? self.token)
        statements.list.withLock { $0 = [] }
        return try await database.write { try flows.write(writes, of: token, in: $0) }
    }

    /// Returns the code of the refusal of a write; `nil` if the write succeeds.
    func refusal(
        _ writes: DocumentWrite...,
        within limits: DocumentLimits = DocumentLimits(),
        by token: PresentedToken? = nil
    ) async throws -> String? {
        do {
            try await write(writes, within: limits, by: token)
            return nil
        } catch let refusal as Refusal {
            return refusal.code.rawValue
        }
    }

    /// The statements of the last write.
    var lastStatements: [String] { statements.list.withLock { $0 } }

    func read(_ name: DocumentName, by token: PresentedToken? = nil) throws -> Document {
        try database.readNow { try flows().document(name, of: token ?? self.token, in: $0) }
    }

    func list(
        in collection: String? = nil,
        after last: DocumentName? = nil,
        limit: Int = 1000,
        maximumBytes: Int = 1 << 20
    ) throws -> DocumentPage {
        try database.readNow {
            try flows().documents(
                of: token,
                in: collection,
                after: last,
                limit: limit,
                maximumBytes: maximumBytes,
                store: $0
            )
        }
    }

    /// Returns the counts in the user's row.
    func usage(of uid: String = "ann") throws -> DocumentUsage {
        let usage = try database.readNow { transaction in
            try transaction.first(
                "SELECT change_number, document_count, document_bytes FROM users WHERE uid = \(uid)"
            ) { row in
                DocumentUsage(
                    changeNumber: try row.integer(0),
                    documents: Int(try row.integer(1)),
                    bytes: Int(try row.integer(2))
                )
            }
        }
        return try #require(usage)
    }

    /// Returns the number and document of each change, in order.
    func changes(of uid: String = "ann") throws -> [(number: Int64, name: DocumentName)] {
        try database.readNow { transaction in
            try transaction.all("SELECT number, collection, name FROM changes WHERE uid = \(uid) ORDER BY number") {
                (try $0.integer(0), DocumentName(storedCollection: try $0.text(1), id: try $0.text(2)))
            }
        }
    }

    /// Runs a statement of the test.
    func execute(_ sql: SQL) async throws {
        _ = try await database.write { try $0.execute(sql) }
    }
}

/// Makes a name in the collection `c`.
func name(_ id: String, in collection: String = "c") -> DocumentName {
    DocumentName(storedCollection: collection, id: id)
}

/// Parses a JSON object.
func object(_ text: String) throws -> JSONObject {
    try #require(try JSONValue.parse(text).object)
}
