import Accounts
import Testing

@testable import AccountDatabase
@testable import Database

/// What is recorded after sign-ins, of many users at once.
@Suite("Records of sign-ins")
struct SignInRecordTests {
    private static func store() async throws -> FreshStore {
        let fresh = try FreshStore()
        try await fresh.database.write { transaction in
            for uid in ["a", "b"] {
                var user = User(anonymous: uid, at: 5)
                user.email = "\(uid)@example.com"
                try transaction.insert(user)
            }
        }
        return fresh
    }

    @Test func `the traces of many users are stored in order, except those of users who are gone`() async throws {
        let fresh = try await Self.store()
        defer { fresh.remove() }
        let rows = try await fresh.database.write { transaction in
            try transaction.traceOfUsers([
                TraceEntry(.redeemed, of: "r1", uid: "b", network: "n", detail: "x, \"y\" \\ NULL"),
                TraceEntry(.redeemed, of: "r2", uid: "gone", device: "d"),
                TraceEntry(.redeemed, of: "r3", uid: "a", device: "d", occurrences: 2, at: 7),
            ])
            return try transaction.all(
                """
                SELECT t.request, u.uid, t.device, t.network, t.detail, t.occurrences, t.at
                FROM mail_trace t JOIN users u ON u.id = t.user_number AND u.uid = t.uid ORDER BY t.id
                """
            ) { row in
                [
                    try row.text(0), try row.text(1), try row.optionalText(2), try row.optionalText(3),
                    try row.optionalText(4), "\(try row.integer(5))", try row.integer(6) == 7 ? "7" : "now",
                ]
            }
        }
        #expect(
            rows == [
                ["r1", "b", nil, "n", "x, \"y\" \\ NULL", "1", "now"], ["r3", "a", "d", nil, nil, "2", "7"],
            ]
        )
    }

    @Test func `the clients of many users are stored once, if the users still have the addresses`() async throws {
        let fresh = try await Self.store()
        defer { fresh.remove() }
        @Sendable func record(_ uid: String, _ email: String, _ client: String) -> KnownClientRecord {
            KnownClientRecord(
                uid: uid,
                email: email,
                address: email,
                addresses: [email],
                client: client,
                mayBeKnown: false
            )
        }
        let clients = try await fresh.database.write { transaction in
            try transaction.recordKnownClients([
                record("a", "a@example.com", "c1"), record("a", "a@example.com", "c1"),
                record("b", "b@example.com", "c2"), record("b", "old@example.com", "c3"),
                record("gone", "a@example.com", "c4"),
            ])
            return try transaction.all("SELECT client FROM known_clients ORDER BY client") { try $0.text(0) }
        }
        #expect(clients == ["c1", "c2"])
    }
}
