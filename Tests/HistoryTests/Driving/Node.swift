import Accounts
import Crypto
import Database
import Mail
import PostgreSQLHarness
import Synchronization
import Tokens

@testable import Server

/// A node without listeners and background work: a database with the services of a server around it.
struct Node: Sendable {
    let database: any Database
    let services: Services
    /// Whether the node acts as one of the version before, whose transactions are all serializable.
    let isOlder: Bool

    static let secrets = made { try ServerSecrets(text: String(repeating: "s", count: 40)) }

    private static let key = made {
        // An Ed25519 key (RFC 8410).
        let prefix: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
        return try TokenSigningKey(.edDSA, pkcs8: SecureBytes(prefix + [UInt8](repeating: 7, count: 32)))
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("\(error)") }
    }

    init(
        _ database: any Database,
        policy: Policy,
        isOlder: Bool = false,
        clock: @escaping @Sendable () -> Int64
    ) throws {
        self.database = database
        self.isOlder = isOlder
        services = Services(
            configuration: try Configuration.load(
                file: nil,
                environment: ["LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_PROJECT_ID": "history"]
            ),
            database: database,
            secrets: Self.secrets,
            idTokens: IDTokens(
                issuer: "https://auth.example.com/history",
                audience: "history",
                keys: KeySet(signer: Self.key)
            ),
            pageTemplates: try PageTemplates(TemplateLibrary()),
            clock: clock,
            logger: Log { _ in },
            wake: WorkerWakeUps(mailWorkers: {}, hookWorkers: {})
        )
        services.flows.use(policy)
    }
}

/// A clock that the test sets, in milliseconds since 1970.
final class SetClock: Sendable {
    private let time = Atomic<Int64>(1_900_000_000_000)

    var now: Int64 { time.load(ordering: .relaxed) }

    /// Returns a time that no other call returns, because rows with equal times have no order that a client sees.
    func uniqueNow() -> Int64 { time.add(1, ordering: .relaxed).newValue }

    func advance(_ milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
}
