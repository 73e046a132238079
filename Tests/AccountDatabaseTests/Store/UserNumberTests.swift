import Accounts
import Testing

@testable import AccountDatabase
@testable import Database

/// The audit log and the trace find the rows of a user by the number of the user's row, or by the UID where a row has none.
@Suite("Rows of the audit log and the trace by their user")
struct UserNumberTests {
    /// Returns the details of the entries about a user, the oldest first.
    private func details(_ uid: String, in store: FreshStore) throws -> [String?] {
        var filter = AuditFilter()
        filter.uid = uid
        return try store.database.readNow { try $0.auditEntries(filter, after: 0, limit: 9) }.map(\.detail)
    }

    private func insertUsers(_ uids: String..., in transaction: Transaction) throws {
        for uid in uids { try transaction.insert(User(anonymous: uid, at: 5)) }
    }

    /// Adds an entry as a version without the column does.
    private func insertEntry(_ uid: String, detail: String, in transaction: Transaction) throws {
        try transaction.execute(
            "INSERT INTO audit_log (at, event, uid, detail) VALUES (1, 'user.changed', \(uid), \(detail))"
        )
    }

    @Test func `entries of a user have the number of the user's row, and are found with those that have none`()
        async throws
    {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", "b", in: transaction)
            try insertEntry("a", detail: "before", in: transaction)
            for uid in ["a", "b", "nobody"] {
                try transaction.audit(.userChanged, uid: uid, detail: uid, by: .client)
            }
        }
        let numbers = try fresh.database.readNow { transaction in
            try transaction.all(
                """
                SELECT a.detail FROM audit_log a JOIN users u ON u.uid = a.uid AND u.id = a.user_number ORDER BY a.id
                """
            ) { row in try row.text(0) }
        }
        #expect(numbers == ["a", "b"])
        #expect(try details("a", in: fresh) == ["before", "a"])
        #expect(try details("b", in: fresh) == ["b"])
        #expect(try details("nobody", in: fresh) == ["nobody"])
    }

    @Test(arguments: [true, false])
    func `entries about a deleted user are found, whichever version deleted the user`(knowsNumber: Bool) async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", "b", in: transaction)
            try insertEntry("b", detail: "before", in: transaction)
            for uid in ["a", "b"] { try transaction.audit(.userChanged, uid: uid, detail: uid, by: .client) }
            try transaction.deleteUser("b", mergedInto: nil)
            try transaction.audit(.userDeleted, uid: "b", detail: "after", by: .client)
            if !knowsNumber { try transaction.execute("UPDATE former_users SET user_number = NULL") }
        }
        #expect(try details("b", in: fresh) == ["before", "b", "after"])
    }

    @Test func `the trace of a deleted user is found`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", "b", in: transaction)
            try transaction.traceOfUsers([TraceEntry(.redeemed, of: "r1", uid: "a")])
            try transaction.deleteUser("a", mergedInto: nil)
        }
        let found = try fresh.database.readNow { transaction in
            try transaction.traces(of: .user("a", addresses: []), before: nil, limit: 9).map(\.request)
        }
        #expect(found == ["r1"])
    }

    @Test func `an entry is not found by a number that another user has by now`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", in: transaction)
            try transaction.audit(.userChanged, uid: "a", detail: "a", by: .client)
            try transaction.deleteUser("a", mergedInto: nil)
            try insertUsers("b", in: transaction)
            try transaction.execute("UPDATE users SET id = (SELECT user_number FROM former_users) WHERE uid = 'b'")
            try transaction.audit(.userChanged, uid: "b", detail: "b", by: .client)
        }
        #expect(try details("a", in: fresh) == ["a"])
        #expect(try details("b", in: fresh) == ["b"])
    }

    @Test func `entries about a deleted user are found once another user has the UID`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", in: transaction)
            try transaction.audit(.userChanged, uid: "a", detail: "first", by: .client)
            try transaction.traceOfUsers([TraceEntry(.redeemed, of: "r1", uid: "a")])
            try transaction.deleteUser("a", mergedInto: nil)
            try transaction.forgetFormerUser("a")
            // SQLite would give the next user the same number.
            try insertUsers("b", "a", in: transaction)
            try transaction.audit(.userChanged, uid: "a", detail: "second", by: .client)
            try transaction.traceOfUsers([TraceEntry(.redeemed, of: "r2", uid: "a")])
        }
        #expect(try details("a", in: fresh) == ["first", "second"])
        let found = try fresh.database.readNow { transaction in
            try transaction.traces(of: .user("a", addresses: []), before: nil, limit: 9).map(\.request)
        }
        #expect(found == ["r2", "r1"])
    }

    @Test func `a sweep keeps the numbers of the guests that it deletes`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", in: transaction)
            try transaction.audit(.userChanged, uid: "a", detail: "a", by: .client)
            try transaction.execute("UPDATE users SET cleanup_at = 1")
            #expect(try transaction.deleteGuests(try transaction.dueGuests(limit: 1)) == ["a"])
        }
        #expect(try details("a", in: fresh) == ["a"])
        let numbers = try fresh.database.readNow { transaction in
            try transaction.all("SELECT user_number FROM former_users") { try $0.optionalInteger(0) }
        }
        #expect(numbers.count == 1 && numbers.allSatisfy { $0 != nil })
    }

    @Test func `the trace of a user has events with and without a number`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            try insertUsers("a", "b", in: transaction)
            try transaction.execute(
                "INSERT INTO mail_trace (at, event, request, uid, occurrences) VALUES (1, 'queued', 'r1', 'a', 1)"
            )
            for (request, uid) in [("r2", "a"), ("r3", "b"), ("r4", nil)] {
                try transaction.trace(TraceEntry(.queued, of: request, uid: uid))
            }
            try transaction.traceOfUsers([TraceEntry(.redeemed, of: "r5", uid: "a")])
        }
        let found = try fresh.database.readNow { transaction in
            try transaction.traces(of: .user("a", addresses: []), before: nil, limit: 9).map(\.request)
        }
        #expect(found == ["r5", "r2", "r1"])
        let unnumbered = try fresh.database.readNow { transaction in
            try transaction.all("SELECT request FROM mail_trace WHERE user_number IS NULL ORDER BY id") { row in
                try row.text(0)
            }
        }
        #expect(unnumbered == ["r1", "r4"])
        let deleted = try await fresh.database.write { try $0.deleteTraces(of: .user("a", addresses: [])) }
        #expect(deleted == 3)
    }
}
