import AccountDatabase
import Accounts
import Database
import JSON
import Testing

@Suite("Documents")
struct DocumentFlowTests {
    // MARK: Versions

    @Test func `each document that changes gets the next number, and nothing else does`() async throws {
        let scene = try await DocumentScene()
        let first = try await scene.write(.init(name("a"), .set("{}")), .init(name("b"), .patch(object(#"{"x":1}"#))))
        #expect(first.documents.map(\.document?.version) == [1, 2])
        #expect(first.documents.map(\.isNew) == [true, true])
        let nothing = try await scene.write(.init(name("none"), .delete))
        #expect(!nothing.hasChanges)
        let mixed = try await scene.write(
            .init(name("none"), .delete),
            .init(name("b"), .delete),
            .init(name("a"), .set(#"{"y":2}"#))
        )
        #expect(mixed.documents.map(\.document?.version) == [nil, nil, 4])
        #expect(mixed.documents.map(\.isNew) == [false, false, false])
        let changes = try scene.changes()
        #expect(changes.map(\.number) == [1, 2, 3, 4])
        #expect(changes.map(\.name.id) == ["a", "b", "b", "a"])
        #expect(try scene.usage() == DocumentUsage(changeNumber: 4, documents: 1, bytes: 7))
    }

    @Test func `a document that comes again is new and has a version of its own`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set("{}")))
        try await scene.write(.init(name("a"), .delete))
        let again = try await scene.write(.init(name("a"), .set("{}")))
        #expect(again.documents.map(\.isNew) == [true])
        #expect(try scene.read(name("a")).version == 3)
        #expect(try await scene.refusal(.init(name("a"), .delete, if: .init(match: .of([1])))) == "PRECONDITION_FAILED")
    }

    @Test func `a write runs five statements, and each further document three`() async throws {
        let scene = try await DocumentScene()
        for audited in [1, 0] {
            try await scene.write(.init(name("a"), .set("{}")))
            #expect(scene.lastStatements.count == 5 + audited, "\(scene.lastStatements)")
        }
        let writes = (0..<10).map { DocumentWrite(name("n\($0)"), .set("{}")) }
        try await scene.write(writes)
        #expect(scene.lastStatements.count == 2 + 3 * 10, "\(scene.lastStatements)")
        try await scene.write(.init(name("none"), .delete))
        #expect(scene.lastStatements.count == 2, "\(scene.lastStatements)")
    }

    @Test func `the audit log has one entry in ten minutes about a user's writes, with their collections`() async throws
    {
        let scene = try await DocumentScene()
        func details() throws -> [String?] {
            try scene.database.readNow { transaction in
                try transaction.all(
                    "SELECT detail FROM audit_log WHERE uid = 'ann' AND event = 'documents.changed' ORDER BY id"
                ) { row in try row.optionalText(0) }
            }
        }
        try await scene.write(.init(name("none"), .delete))
        #expect(try await scene.refusal(.init(name("a", in: "notes"), .delete, if: .init(match: .of([1])))) != nil)
        #expect(try details() == [], "nothing has changed")
        try await scene.write(
            .init(name("theme", in: "settings"), .set("{}")),
            .init(name("a", in: "notes"), .set("{}")),
            .init(name("b", in: "notes"), .set("{}"))
        )
        try await scene.write(.init(name("a", in: "notes"), .delete))
        try await scene.write(.init(name("a", in: "notes"), .set("{}")))
        #expect(try details() == ["notes settings"])
        // As if the writes were ten minutes ago.
        let interval = DocumentUsage.auditInterval
        try await scene.database.write { transaction in
            try transaction.execute(
                "UPDATE users SET documents_audited_at = -(abs(documents_audited_at) - \(interval)) WHERE uid = 'ann'"
            )
        }
        for _ in 0..<2 {
            try await scene.write(.init(name("a", in: "notes"), .delete), .init(name("b", in: "notes"), .set("{}")))
        }
        #expect(try details() == ["notes settings", "notes"])
        let many = (0..<9).map { DocumentWrite(name("a", in: "c\($0)"), .set("{}")) }
        let bob = try await DocumentScene.user("bob", in: scene.database)
        try await scene.write(many, by: bob)
        let ofBob = try scene.database.readNow { try $0.auditEntries(AuditFilter(), before: .max, limit: 1).first }
        #expect(ofBob?.uid == "bob" && ofBob?.detail == "c0 c1 c2 c3 c4" && ofBob?.actor == .client)
    }

    @Test func `the last thousand changes stay, and not many more`() async throws {
        let scene = try await DocumentScene()
        let bob = try await DocumentScene.user("bob", in: scene.database)
        try await scene.write((0..<90).map { DocumentWrite(name("\($0)"), .set("{}")) }, by: bob)
        for round in 1...40 {
            try await scene.write((0..<37).map { DocumentWrite(name("\($0)"), .set(#"{"round":\#(round)}"#)) })
            let numbers = try scene.changes().map(\.number)
            let last = Int64(round * 37)
            let first = try #require(numbers.first)
            try #require(numbers == Array(first...last))
            try #require(last <= 1000 ? first == 1 : first <= last - 999 && first > last - 1100)
        }
        #expect(try scene.changes(of: "bob").count == 90)
        #expect(try scene.usage().changeNumber == 1480)
    }

    @Test func `a set does not read what the document held`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set("{}")))
        #expect(!scene.lastStatements.contains { $0.hasPrefix("SELECT") && $0.contains("content") })
    }

    // MARK: Preconditions

    struct Precondition: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let precondition: DocumentPrecondition
        let whenThere: Bool
        let whenNot: Bool
    }

    static let preconditions = [
        Precondition(testDescription: "none", precondition: .none, whenThere: true, whenNot: true),
        Precondition(
            testDescription: "its version",
            precondition: .init(match: .of([1])),
            whenThere: true,
            whenNot: false
        ),
        Precondition(
            testDescription: "another version",
            precondition: .init(match: .of([2])),
            whenThere: false,
            whenNot: false
        ),
        Precondition(
            testDescription: "one of two",
            precondition: .init(match: .of([7, 1])),
            whenThere: true,
            whenNot: false
        ),
        Precondition(testDescription: "any", precondition: .init(match: .any), whenThere: true, whenNot: false),
        Precondition(
            testDescription: "none at all",
            precondition: .init(noneMatch: .any),
            whenThere: false,
            whenNot: true
        ),
        Precondition(
            testDescription: "not this version",
            precondition: .init(noneMatch: .of([1])),
            whenThere: false,
            whenNot: true
        ),
        Precondition(
            testDescription: "any, but not this",
            precondition: .init(match: .any, noneMatch: .of([1])),
            whenThere: false,
            whenNot: false
        ),
    ]

    @Test(arguments: preconditions)
    func `a write is done only where its precondition holds`(_ example: Precondition) async throws {
        let changes: [DocumentWrite.Change] = [.set(#"{"x":1}"#), .patch(try object(#"{"x":1}"#)), .delete]
        for change in changes {
            let scene = try await DocumentScene()
            let absent = try await scene.refusal(.init(name("b"), change, if: example.precondition))
            #expect((absent == nil) == example.whenNot)
            let isDeletion = if case .delete = change { true } else { false }
            #expect(try scene.usage().documents == (example.whenNot && !isDeletion ? 1 : 0))

            let other = try await DocumentScene()
            try await other.write(.init(name("a"), .set("{}")))
            let present = try await other.refusal(.init(name("a"), change, if: example.precondition))
            #expect((present == nil) == example.whenThere)
            #expect(try other.usage().changeNumber == (example.whenThere ? 2 : 1))
            if let present { #expect(present == "PRECONDITION_FAILED") }
        }
    }

    @Test func `several writes are done all or not at all`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set(#"{"n":1}"#)), .init(name("b"), .set("{}")))
        let (changes, usage) = (try scene.changes().count, try scene.usage())
        let failing: [DocumentWrite] = [
            .init(name("z"), .set("{}"), if: .init(match: .any)),
            .init(name("z"), .patch(try object(#"{"big":"\#(String(repeating: "x", count: 70_000))"}"#))),
        ]
        for last in failing {
            let refusal = try await scene.refusal(
                .init(name("a"), .patch(try object(#"{"n":2}"#))),
                .init(name("b"), .delete),
                .init(name("new"), .set("{}")),
                last
            )
            #expect(refusal != nil)
            #expect(try scene.read(name("a")).content == #"{"n":1}"#)
            #expect(try scene.list().documents.map(\.name.id) == ["a", "b"])
            #expect(try scene.changes().count == changes)
            #expect(try scene.usage() == usage)
        }
    }

    // MARK: Limits

    @Test func `a document may be as large as the limit and no larger, also by a patch`() async throws {
        let scene = try await DocumentScene()
        var limits = DocumentLimits()
        limits.maxBytes = 100
        let fits = try limits.content(object(#"{"a":"\#(String(repeating: "x", count: 92))"}"#))
        #expect(fits.utf8.count == 100)
        #expect(throws: Refusal(.documentTooLarge, detail: "A document may have at most 100 bytes.")) {
            try limits.content(object(#"{"a":"\#(String(repeating: "x", count: 93))"}"#))
        }
        // Bytes, not characters.
        #expect(throws: Refusal.self) { try limits.content(object(#"{"a":"\#(String(repeating: "é", count: 47))"}"#)) }
        try await scene.write(.init(name("a"), .set(#"{"b":1}"#)), within: limits)
        let whole = try object(#"{"a":"\#(String(repeating: "x", count: 86))"}"#)
        let longer = try object(#"{"a":"\#(String(repeating: "x", count: 87))"}"#)
        #expect(try await scene.refusal(.init(name("a"), .patch(longer)), within: limits) == "DOCUMENT_TOO_LARGE")
        #expect(try await scene.refusal(.init(name("a"), .patch(whole)), within: limits) == nil)
        #expect(try scene.usage().bytes == 100)
    }

    @Test func `a user may have as many documents as the limit and no more`() async throws {
        let scene = try await DocumentScene()
        var limits = DocumentLimits()
        limits.maxCount = 3
        let writes = (0..<4).map { DocumentWrite(name("\($0)"), .set("{}")) }
        #expect(
            try await scene.refusal(writes[0], writes[1], writes[2], writes[3], within: limits) == "TOO_MANY_DOCUMENTS"
        )
        #expect(try await scene.refusal(writes[0], writes[1], writes[2], within: limits) == nil)
        #expect(try await scene.refusal(writes[3], within: limits) == "TOO_MANY_DOCUMENTS")
        // One document replaces another, and the same again.
        #expect(try await scene.refusal(.init(name("0"), .delete), writes[3], within: limits) == nil)
        #expect(try await scene.refusal(writes[1], within: limits) == nil)
        #expect(try scene.usage().documents == 3)
    }

    @Test func `a user's documents may hold as much as the limit and no more`() async throws {
        let scene = try await DocumentScene()
        var limits = DocumentLimits()
        limits.maxTotalBytes = 20
        #expect(try await scene.refusal(.init(name("a"), .set(#"{"x":"123"}"#)), within: limits) == nil)
        #expect(
            try await scene.refusal(.init(name("b"), .set(#"{"x":12345}"#)), within: limits)
                == "DOCUMENT_QUOTA_EXCEEDED"
        )
        #expect(try await scene.refusal(.init(name("b"), .set(#"{"x":123}"#)), within: limits) == nil)
        #expect(try scene.usage().bytes == 20)
        #expect(
            try await scene.refusal(.init(name("b"), .patch(try object(#"{"x":1234}"#))), within: limits)
                == "DOCUMENT_QUOTA_EXCEEDED"
        )
        #expect(try await scene.refusal(.init(name("b"), .patch(try object(#"{"x":321}"#))), within: limits) == nil)
    }

    @Test func `a user over the quota may write what does not add to it`() async throws {
        let scene = try await DocumentScene()
        try await scene.write((0..<5).map { DocumentWrite(name("\($0)"), .set(#"{"x":"12345"}"#)) })
        var limits = DocumentLimits()
        limits.maxCount = 2
        limits.maxTotalBytes = 20
        #expect(try await scene.refusal(.init(name("0"), .set(#"{"x":"54321"}"#)), within: limits) == nil)
        #expect(try await scene.refusal(.init(name("0"), .set(#"{"x":"1234"}"#)), within: limits) == nil)
        #expect(try await scene.refusal(.init(name("1"), .delete), within: limits) == nil)
        #expect(
            try await scene.refusal(.init(name("0"), .set(#"{"x":"12345"}"#)), within: limits)
                == "DOCUMENT_QUOTA_EXCEEDED"
        )
        #expect(try await scene.refusal(.init(name("1"), .set("{}")), within: limits) == "TOO_MANY_DOCUMENTS")
    }

    // MARK: Permissions

    @Test func `a guest that a merge holds is read, and not written`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set("{}")))
        try await scene.execute("UPDATE users SET merge_id = 'm' WHERE uid = 'ann'")
        let changes: [DocumentWrite.Change] = [.set("{}"), .patch(JSONObject()), .delete]
        for change in changes {
            for id in ["a", "none"] {
                #expect(try await scene.refusal(.init(name(id), change)) == "MERGE_IN_PROGRESS")
            }
        }
        #expect(try scene.read(name("a")).version == 1)
        #expect(try scene.list().documents.count == 1)
        try await scene.execute("UPDATE users SET merge_id = NULL WHERE uid = 'ann'")
        #expect(try await scene.refusal(.init(name("a"), .delete)) == nil)
    }

    @Test func `a disabled user gets nowhere`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set("{}")))
        try await scene.execute("UPDATE users SET disabled_at = 1 WHERE uid = 'ann'")
        #expect(try await scene.refusal(.init(name("a"), .delete)) == "USER_DISABLED")
        #expect(throws: Refusal(.userDisabled)) { try scene.read(name("a")) }
        #expect(throws: Refusal(.userDisabled)) { try scene.list() }
    }

    @Test func `each user has documents, counts and numbers of their own`() async throws {
        let scene = try await DocumentScene()
        let bob = try await DocumentScene.user("bob", in: scene.database)
        try await scene.write(.init(name("a"), .set(#"{"of":"ann"}"#)), .init(name("b"), .set("{}")))
        #expect(throws: Refusal(.documentNotFound)) { try scene.read(name("a"), by: bob) }
        try await scene.write(.init(name("a"), .set(#"{"of":"bob"}"#)), by: bob)
        try await scene.write(.init(name("b"), .delete), by: bob)
        #expect(try scene.read(name("a")).content == #"{"of":"ann"}"#)
        #expect(try scene.list().documents.map(\.name.id) == ["a", "b"])
        #expect(try scene.usage(of: "bob") == DocumentUsage(changeNumber: 1, documents: 1, bytes: 12))
        #expect(try scene.usage() == DocumentUsage(changeNumber: 2, documents: 2, bytes: 14))
    }

    @Test func `documents and changes go with their user`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(.init(name("a"), .set("{}")))
        let (flows, token) = (scene.flows(), scene.token)
        _ = try await scene.database.write { try flows.deleteUser(token, in: $0) }
        let left = try scene.database.readNow { transaction in
            try transaction.first("SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM changes)") {
                try $0.integer(0)
            }
        }
        #expect(left == 0)
        #expect(try await scene.refusal(.init(name("a"), .set("{}"))) == "USER_NOT_FOUND")
    }
}
