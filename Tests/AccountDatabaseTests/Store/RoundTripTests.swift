import Accounts
import DatabaseHarness
import Testing
import Tokens

@testable import AccountDatabase
@testable import Database

@Suite("Stored values")
struct RoundTripTests {
    // MARK: Users

    @Test func `a user comes back with every field`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let users = try await fresh.after {
            try $0.insert(Example.user)
        } read: {
            [try $0.user("uid-1"), try $0.user(email: "ada@example.com"), try $0.users(after: "", limit: 9).first]
        }
        #expect(users == [Example.user, Example.user, Example.user])
    }

    @Test func `a user without anything comes back without anything`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let user = User(anonymous: "uid-2", at: 5)
        #expect(
            try await fresh.after {
                try $0.insert(user)
            } read: {
                try $0.user("uid-2")
            } == user
        )
    }

    @Test func `an updated user comes back with every new field`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var changed = User(uid: "uid-1", createdAt: Example.user.createdAt)
        changed.email = "new@example.com"
        changed.validSince = 11
        changed.lastLoginAt = 12
        changed.lastRefreshAt = 13
        let (bare, full) = (changed, Example.user)
        let seen = try await fresh.after {
            try $0.insert(full)
            try $0.insert(User(anonymous: "bystander", at: 1))
            try $0.update(bare)
        } read: {
            (try $0.user("uid-1"), try $0.user(email: "ada@example.com"), try $0.user("bystander"))
        }
        #expect(seen.0 == bare && seen.1 == nil && seen.2 == User(anonymous: "bystander", at: 1))
        #expect(
            try await fresh.after {
                try $0.update(full)
            } read: {
                try $0.user("uid-1")
            } == full
        )
    }

    @Test func `a refresh is noted and nothing else changes`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var expected = Example.user
        expected.lastRefreshAt = moment
        let user = try await fresh.after {
            try $0.insert(Example.user)
            try $0.touchUser("uid-1")
        } read: {
            try $0.user("uid-1")
        }
        #expect(user == expected)
    }

    @Test func `users are listed in order after a given one`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let uids = try await fresh.after { transaction in
            for uid in ["c", "a", "d", "b"] { try transaction.insert(User(anonymous: uid, at: 1)) }
        } read: {
            try $0.users(after: "a", limit: 2).map(\.uid)
        }
        #expect(uids == ["b", "c"])
    }

    @Test func `two users never have one address or one UID`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { try $0.insert(Example.user) }
        var other = Example.user
        other.uid = "uid-2"
        let sameAddress = other
        #expect(await kind { try await fresh.database.write { try $0.insert(sameAddress) } } == .constraint(.unique))
        let sameUID = User(anonymous: "uid-1", at: 1)
        #expect(await kind { try await fresh.database.write { try $0.insert(sameUID) } } == .constraint(.unique))
    }

    @Test func `deleting a user deletes the identities and leaves the sessions`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let seen = try await fresh.after { transaction in
            try transaction.insert(Example.user)
            try transaction.insert(Example.session)
            try transaction.execute(
                """
                INSERT INTO identities (uid, provider, subject, email, display_name, photo_url, screen_name, created_at)
                VALUES ('uid-1', 'google.com', 's', 'e', 'd', 'p', 'n', 1), ('uid-1', 'oidc.x', 't', NULL, NULL, NULL, NULL, 1)
                """
            )
        } read: {
            try $0.identities(of: "uid-1")
        }
        let full = Identity(
            uid: "uid-1",
            provider: "google.com",
            subject: "s",
            email: "e",
            displayName: "d",
            photoURL: "p",
            screenName: "n"
        )
        let bare = Identity(uid: "uid-1", provider: "oidc.x", subject: "t")
        #expect(seen == [full, bare])
        let rest = try await fresh.after {
            try $0.deleteIdentity(of: "uid-1", provider: "google.com")
        } read: {
            try $0.identities(of: "uid-1")
        }
        #expect(rest == [bare])
        let left = try await fresh.after {
            try $0.deleteUser("uid-1", mergedInto: nil)
        } read: {
            (try $0.user("uid-1"), try $0.identities(of: "uid-1"), try $0.sessionAndUser("sid-1"))
        }
        #expect(left.0 == nil && left.1.isEmpty && left.2?.session == Example.session && left.2?.user == nil)
    }

    // MARK: Sessions

    @Test func `a session comes back with every field and its user`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let seen = try await fresh.after {
            try $0.insert(Example.user)
            try $0.insert(Example.session)
        } read: {
            (try $0.sessionAndUser("sid-1"), try $0.sessionAndUser("sid-2"))
        }
        #expect(seen.0?.session == Example.session && seen.0?.user == Example.user)
        #expect(seen.1 == nil)
    }

    @Test func `an updated session keeps its generation and times`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var session = Example.session
        session.generation = 4
        session.generationAt = 41
        session.lastUsedAt = 42
        let changed = session
        let seen = try await fresh.after {
            try $0.insert(Example.user)
            try $0.insert(Example.session)
            try $0.update(changed)
        } read: {
            try $0.sessionAndUser("sid-1")?.session
        }
        #expect(seen == changed)
    }

    @Test func `sessions end once, but for the one that is spared`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let ends = try await fresh.after { transaction in
            for uid in ["u", "v"] { try transaction.insert(User(anonymous: uid, at: moment)) }
            for (sid, uid) in [("a", "u"), ("b", "u"), ("c", "u"), ("d", "v")] {
                var session = Example.session
                (session.sid, session.uid) = (sid, uid)
                try transaction.insert(session)
            }
            try transaction.endSession("a", of: "a", reason: .reused)
            try transaction.endSessions(of: "u", except: "b", reason: .linked)
        } read: { transaction in
            try transaction.all("SELECT sid, ended_at, end_reason FROM sessions ORDER BY sid") { row in
                [try row.text(0), try row.optionalInteger(1).map(String.init), try row.optionalText(2)]
            }
        }
        let end = String(moment)
        #expect(ends == [["a", end, "reused"], ["b", nil, nil], ["c", end, "linked"], ["d", nil, nil]])
        let left = try await fresh.after {
            try $0.endSessions(of: "v", except: nil, reason: .revoked)
            try $0.deleteSessions(of: "u")
        } read: {
            (try $0.sessionAndUser("a"), try $0.sessionAndUser("b"), try $0.sessionAndUser("d")?.session.endedAt)
        }
        #expect(left.0 == nil && left.1 == nil && left.2 == moment)
    }

    // MARK: Tickets and codes

    @Test func `a ticket comes back as it was asked for`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        #expect(
            try await fresh.after {
                try $0.insert(Example.ticket)
            } read: {
                try $0.ticket("ticket-1")
            } == Example.ticket
        )
    }

    @Test(arguments: [(true, false), (false, true)])
    func `a ticket comes back with all that happened to it`(isNewUser: Bool, linked: Bool) async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var ticket = Example.ticket
        ticket.state = .approved
        ticket.mailState = .sent
        ticket.redeem(isNewUser: isNewUser, linked: linked)
        let changed = ticket
        try await fresh.database.write { try $0.insert(Example.ticket) }
        #expect(try await fresh.database.write { try $0.update(changed, from: .open) })
        #expect(try fresh.database.readNow { try $0.ticket("ticket-1") } == changed)
        // The second call finds the ticket in another state, and changes nothing.
        #expect(try await !fresh.database.write { try $0.update(Example.ticket, from: .open) })
        #expect(try fresh.database.readNow { try $0.ticket("ticket-1") } == changed)
    }

    @Test func `a merge is stored, settled in its place, and found by its guest once it is committed`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let preparing = StoredMerge(id: "m", uid: "guest", targetUID: "ann", state: .preparing, report: nil)
        #expect(try await fresh.after({ try $0.put(preparing) }, read: { try $0.merge("m") }) == preparing)
        #expect(try fresh.database.readNow { try $0.committedMerge(of: "guest") } == nil)
        var settled = preparing
        (settled.state, settled.report) = (.committed, "{}")
        let committed = settled
        let found = try await fresh.after({ try $0.put(committed) }, read: { try $0.committedMerge(of: "guest") })
        #expect(found == committed)
        let times = try fresh.database.readNow { transaction in
            try transaction.all("SELECT settled_at FROM merges") { try $0.optionalInteger(0) }
        }
        #expect(times == [moment])
    }

    @Test func `what became of a ticket's mail is noted once`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let state = try await fresh.after {
            try $0.insert(Example.ticket)
            try $0.record(.failed, ofMailFor: "ticket-1", endingAfter: 1)
            try $0.record(.sent, ofMailFor: "ticket-1", endingAfter: 1)
        } read: {
            try $0.ticket("ticket-1")?.mailState
        }
        #expect(state == .failed)
    }

    @Test(arguments: ActionPurpose.allCases)
    func `a code comes back with every field and is used once`(purpose: ActionPurpose) async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        var code = Example.actionCode
        code.purpose = purpose
        let inserted = code
        let seen = try await fresh.after {
            try $0.insert(Example.ticket)
            try $0.insert(inserted)
        } read: {
            try $0.actionCode("code-1")
        }
        #expect(seen == inserted)
        #expect(try await fresh.database.write { try $0.useActionCode("code-1") })
        #expect(try await !fresh.database.write { try $0.useActionCode("code-1") })
        code.usedAt = moment
        #expect(try fresh.database.readNow { try $0.actionCode("code-1") } == code)
    }

    @Test func `the codes of a user end together, and no other user's`() async throws {
        let fresh = try FreshStore()
        try await fresh.database.write { transaction in
            for (id, uid) in [("one", "ann"), ("two", "ann"), ("three", "bob")] {
                var code = Example.actionCode
                code.id = id
                code.ticket = nil
                code.uid = uid
                try transaction.insert(code)
            }
            try transaction.endActionCodes(of: "ann")
        }
        let used = try fresh.database.readNow { transaction in
            try ["one", "two", "three"].map { try transaction.actionCode($0)?.usedAt != nil }
        }
        #expect(used == [true, true, false])
    }

    @Test func `a code for no ticket, or for one that is not there`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let bare = StoredActionCode(
            id: "code-2",
            purpose: .emailSignIn,
            email: "a@b",
            locale: "en",
            createdAt: 1,
            expiresAt: 2
        )
        #expect(
            try await fresh.after {
                try $0.insert(bare)
            } read: {
                try $0.actionCode("code-2")
            } == bare
        )
        #expect(
            await kind { try await fresh.database.write { try $0.insert(Example.actionCode) } }
                == .constraint(.foreignKey)
        )
    }

    // MARK: The rest

    @Test func `a limit counts within its window and tells when it ends`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let hour: Int64 = 3_600_000
        let counts = try await fresh.database.write { transaction in
            try (0..<3).map { _ in try transaction.count("a", in: hour).used } + [transaction.count("b", in: hour).used]
        }
        #expect(counts == [1, 2, 3, 1])
        let used = try fresh.database.readNow { [try $0.used("a", in: hour), try $0.used("c", in: hour)] }
        #expect(used.map(\.used) == [3, 0])
        #expect(used.map(\.untilReset) == [hour - moment % hour, hour - moment % hour])
        // A count of an earlier window no longer applies.
        try await fresh.database.write { try $0.execute("UPDATE limits SET window_start = window_start - \(hour)") }
        #expect(try fresh.database.readNow { try $0.used("a", in: hour).used } == 0)
        #expect(try await fresh.database.write { try $0.count("a", in: hour).used } == 1)
        // Nodes disagree about the moment when a window begins: a node that is behind counts into the window that has
        // begun.
        try await fresh.database.write { try $0.execute("UPDATE limits SET window_start = window_start + \(hour)") }
        #expect(try fresh.database.readNow { try $0.used("a", in: hour).used } == 1)
        #expect(try await fresh.database.write { try $0.count("a", in: hour).used } == 2)
    }

    @Test func `settings and administrators are kept, the last one counts`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        #expect(try fresh.database.readNow { try $0.administrators() } == [])
        let seen = try await fresh.after {
            try $0.set("a", to: "first")
            try $0.set("a", to: "second")
            try $0.setAdministratorList(AdministratorList(stored: "u v"))
        } read: {
            (try $0.setting("a"), try $0.setting("b"), try $0.administrators())
        }
        #expect(seen == ("second", nil, ["u", "v"]))
    }

    @Test func `signing keys are kept, sealed anew, and gone when retired`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let keys = try await fresh.after {
            try $0.insert(Example.signingKey)
            try $0.resealSigningKey("kid-1", privateKey: "sealed anew")
            try $0.retireSigningKey("kid-1", at: moment + 1)
            try $0.retireSigningKey("kid-1", at: moment + 2)
        } read: {
            try $0.signingKeys()
        }
        let expected = StoredSigningKey(
            kid: "kid-1",
            algorithm: "ES256",
            privateKey: "sealed anew",
            createdAt: 1_000,
            signsFrom: 2_000,
            retiredAt: moment + 1
        )
        #expect(keys == [expected])
        try await fresh.database.write { try $0.execute("UPDATE signing_keys SET retired_at = \(moment)") }
        #expect(try fresh.database.readNow { try $0.signingKeys() } == [])
    }

    @Test func `the audit log keeps what happened to whom`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let lines = try await fresh.after {
            try $0.audit(.userLinked, uid: "uid-1", detail: "by ticket", by: .client)
            try $0.audit(.ticketDenied, uid: nil, detail: nil, by: AuditActor(.login, "ann", reason: "asked to"))
        } read: {
            try $0.all("SELECT at, event, uid, detail, actor, reason FROM audit_log ORDER BY id") { row in
                [String(try row.integer(0)), try row.text(1)] + (try (2...5).map { try row.optionalText($0) })
            }
        }
        let at = String(moment)
        #expect(
            lines == [
                [at, "user.linked", "uid-1", "by ticket", nil, nil],
                [at, "ticket.denied", nil, nil, "login:ann", "asked to"],
            ]
        )
    }

    @Test func `the audit log returns what it keeps, by user, actor, kind of actor and name`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let actors: [AuditActor] = [
            .client, .server, AuditActor(.login, "ann", reason: "why"), AuditActor(.key), AuditActor(.key, "ann"),
            AuditActor(.administrator, "uid-1"), AuditActor(.owner, "bob"), AuditActor(.key, "z:ann"),
        ]
        try await fresh.database.write { transaction in
            for actor in actors {
                try transaction.audit(.userChanged, uid: actor == .server ? nil : "uid-2", detail: nil, by: actor)
            }
        }
        func found(_ actor: String?, uid: String? = nil) throws -> [AuditActor] {
            var filter = AuditFilter()
            filter.actor = actor
            filter.uid = uid
            let down = try fresh.database.readNow { try $0.auditEntries(filter, before: .max, limit: 100) }
            let up = try fresh.database.readNow { try $0.auditEntries(filter, after: 0, limit: 100) }
            #expect(down == up.reversed())
            return up.map(\.actor)
        }
        #expect(try found(nil) == actors)
        #expect(try found(nil, uid: "uid-2") == actors.filter { $0 != .server })
        #expect(try found("client") == [.client])
        #expect(try found("server") == [.server])
        #expect(try found("key") == [actors[3], actors[4], actors[7]])
        #expect(try found("login:ann") == [actors[2]])
        #expect(try found("ann") == [actors[2], actors[4]])
        #expect(try found("uid-1", uid: "uid-2") == [actors[5]])
        #expect(try found("uid-1", uid: "uid-1").isEmpty)
        #expect(try found("an").isEmpty)
    }

    @Test func `an event that may be repeated is added once in its time`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for uid in ["a", "b"] { try transaction.insert(User(anonymous: uid, at: 5)) }
            for uid in ["a", "b", "a"] {
                for detail in ["set", "removed", "set"] {
                    try transaction.audit(.usernameChanged, uid: uid, detail: detail, by: .client, atMostEvery: 60_000)
                }
            }
            try transaction.execute("UPDATE audit_log SET at = at - 60000 WHERE uid = 'a'")
            try transaction.audit(.usernameChanged, uid: "a", detail: "set", by: .client, atMostEvery: 60_000)
            try transaction.audit(.usernameChanged, uid: "b", detail: "set", by: .client, atMostEvery: 60_000)
        }
        let entries = try fresh.database.readNow { try $0.auditEntries(AuditFilter(), after: 0, limit: 100) }
        #expect(
            entries.map { "\($0.uid ?? "") \($0.detail ?? "")" } == [
                "a set", "a removed", "b set", "b removed", "a set",
            ]
        )
    }

    // MARK: Documents

    @Test func `a document comes back byte for byte, and again after it was replaced`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let first = Example.document
        let second = Document(name: first.name, content: #"{"other":1e400}"#, version: 9, updatedAt: 10_000)
        for document in [first, second] {
            let seen = try await fresh.after {
                if document == first { try $0.insert(Example.user) }
                try $0.put(document, of: "uid-1")
            } read: {
                (
                    try $0.document(document.name, of: "uid-1"), try $0.documentState(document.name, of: "uid-1"),
                    try $0.documents(of: "uid-1", in: nil, after: nil, limit: 9, maximumBytes: 1)
                )
            }
            #expect(seen.0 == document)
            #expect(seen.1 == DocumentState(version: document.version, bytes: document.content.utf8.count))
            #expect(seen.2 == DocumentPage(documents: [document], hasMore: false))
        }
        let gone = try await fresh.after {
            try $0.deleteDocument(first.name, of: "uid-1", number: 11)
        } read: {
            (try $0.document(first.name, of: "uid-1"), try $0.all("SELECT number FROM changes") { try $0.integer(0) })
        }
        #expect(gone.0 == nil && gone.1 == [7, 9, 11])
    }

    @Test func `changes are counted in the user's row`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let usages = try await fresh.database.write { transaction in
            try transaction.insert(Example.user)
            return [
                try transaction.count(DocumentChanges(count: 3, addedDocuments: 2, addedBytes: 50), of: "uid-1"),
                try transaction.count(DocumentChanges(count: 1, addedDocuments: -1, addedBytes: -20), of: "uid-1"),
            ]
        }
        #expect(
            usages == [
                DocumentUsage(changeNumber: 3, documents: 2, bytes: 50, isAuditDue: true),
                DocumentUsage(changeNumber: 4, documents: 1, bytes: 30),
            ]
        )
        #expect(
            await kind { try await fresh.database.write { try $0.count(DocumentChanges(), of: "none") } } == .misuse
        )
    }
}
