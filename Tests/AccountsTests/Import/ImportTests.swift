import AccountDatabase
import Accounts
import Database
import Testing

@Suite("Imports of users")
struct ImportTests {
    private static func row(_ uid: String?, _ change: (inout ImportRow) -> Void = { _ in }) -> ImportRow {
        var row = ImportRow()
        row.uid = uid
        change(&row)
        return row
    }

    private static func google(_ subject: String, email: String? = nil) -> ImportRow.Provider {
        var provider = ImportRow.Provider()
        provider.providerID = "google.com"
        provider.rawID = subject
        provider.email = email
        return provider
    }

    @discardableResult
    private static func take(
        _ rows: ImportRow...,
        into scene: Scene,
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> [ImportOutcome] {
        var options = ImportOptions()
        change(&options)
        let users = try rows.map { try ImportedUser($0) }
        return try await scene.run { [options] in try $0.importUsers(users, options, in: $1) }
    }

    private static func user(_ uid: String, in scene: Scene) async throws -> User? {
        try await scene.database.read { try $0.user(uid) }
    }

    // MARK: Users made from rows

    @Test func `a user keeps UID, address, names, providers, claims and times`() async throws {
        let scene = try Scene()
        let row = Self.row("u1") { row in
            row.email = "Ann@Example.com"
            row.isEmailVerified = true
            row.displayName = "Ann"
            row.photoURL = "https://p.example"
            row.isDisabled = true
            row.customAttributes = #"{"admin":true}"#
            row.createdAt = 5
            row.lastLoginAt = 7
            row.providers = [Self.google("g", email: "A.N@Gmail.com")]
        }
        #expect(try await Self.take(row, into: scene) == [.created(isGuest: false)])
        let user = try #require(try await Self.user("u1", in: scene))
        #expect(user.email == "ann@example.com" && user.emailVerifiedAt == scene.now && user.emailLinkAt == nil)
        #expect(user.displayName == "Ann" && user.photoURL == "https://p.example" && user.disabledAt == scene.now)
        #expect(user.customAttributes == #"{"admin":true}"#)
        #expect(user.createdAt == 5 && user.lastLoginAt == 7 && user.lastRefreshAt == 7)
        #expect(user.importedAt == scene.now && user.validSince == scene.now / 1000 && !user.isAnonymous)
        let (identities, administrators) = try await scene.database.read {
            (try $0.identities(of: "u1"), try $0.administrators())
        }
        #expect(identities == [Identity(uid: "u1", provider: "google.com", subject: "g", email: "a.n@gmail.com")])
        #expect(administrators.isEmpty, "a claim makes nobody an administrator")
    }

    @Test func `a user without a credential is a guest since the import, unless all are to be permanent`() async throws
    {
        let scene = try Scene()
        let before = scene.now
        let old = Self.row("guest") { $0.createdAt = 5 }
        try await Self.take(old, into: scene)
        let guest = try #require(try await Self.user("guest", in: scene))
        #expect(guest.anonymousSince == before + 1000 && guest.createdAt == 5)
        try await Self.take(Self.row("kept"), into: scene) { $0.takesGuests = false }
        #expect(try await Self.user("kept", in: scene)?.isAnonymous == false)
        var password = ImportRow.Provider()
        password.providerID = "password"
        let credentials: [(inout ImportRow) -> Void] = [
            { $0.email = "a@b.c" }, { $0.hasPassword = true }, { $0.hasPhoneNumber = true },
            { $0.hasSecondFactor = true }, { $0.providers = [Self.google("x")] }, { $0.providers = [password] },
        ]
        for (number, credential) in credentials.enumerated() {
            try await Self.take(Self.row("c\(number)", credential), into: scene)
            #expect(try await Self.user("c\(number)", in: scene)?.isAnonymous == false, "\(number)")
        }
    }

    @Test func `an e-mail link replaces a password, and if presumed also the lack of any sign-in method`()
        async throws
    {
        let scene = try Scene()
        func isLinked(_ uid: String) async throws -> Bool { try await Self.user(uid, in: scene)?.emailLinkAt != nil }
        func address(_ row: inout ImportRow) { row.email = (row.uid ?? "") + "@example.com" }
        for presumes in [false, true] {
            let name = "\(presumes)"
            let rows = [
                Self.row("p\(name)") { row in
                    address(&row)
                    row.hasPassword = true
                },
                Self.row("a\(name)", address),
                Self.row("g\(name)") { row in
                    address(&row)
                    row.providers = [Self.google(name)]
                },
            ]
            for row in rows { try await Self.take(row, into: scene) { $0.presumesEmailLinks = presumes } }
            #expect(try await isLinked("p\(name)"))
            #expect(try await isLinked("a\(name)") == presumes)
            #expect(try await !isLinked("g\(name)"))
        }
        let losses = try ImportedUser(
            Self.row("x") { row in
                row.hasPassword = true
                row.hasPhoneNumber = true
                row.hasSecondFactor = true
                row.displayName = "a\u{7}"
                row.photoURL = String(repeating: "p", count: 1025)
                row.providers = [Self.google("1"), Self.google("2")]
            }
        ).losses
        #expect(losses == Set(ImportLoss.allCases))
    }

    // MARK: Invalid rows

    @Test func `a row is refused for what is wrong with it`() {
        func provider(_ id: String?, _ subject: String?) -> ImportRow.Provider {
            var provider = ImportRow.Provider()
            provider.providerID = id
            provider.rawID = subject
            return provider
        }
        let cases: [(ImportRow, String)] = [
            (Self.row(nil), "localId is missing"), (Self.row(""), "localId is missing"),
            (Self.row(String(repeating: "u", count: 129)), "localId is invalid"),
            (Self.row("a\nb"), "localId is invalid"), (Self.row("e\u{301}"), "localId is invalid"),
            (Self.row("u") { $0.tenantID = "t" }, "Tenant id in userInfo does not match the tenant id in request."),
            (Self.row("u") { $0.customAttributes = "x" }, "Invalid custom claims provided."),
            (Self.row("u") { $0.customAttributes = "[]" }, "Invalid custom claims provided."),
            (Self.row("u") { $0.customAttributes = #"{"a":1,"a":2}"# }, "Invalid custom claims provided."),
            (
                Self.row("u") { $0.customAttributes = #"{"a":"\#(String(repeating: "x", count: 1000))"}"# },
                "Custom claims provided are too large."
            ),
            (Self.row("u") { $0.customAttributes = #"{"sub":1}"# }, "Custom claims provided include a reserved claim."),
            (Self.row("u") { $0.providers = [provider("a", nil)] }, "providerUserInfo: rawId is required"),
            (Self.row("u") { $0.providers = [provider(nil, "a")] }, "providerUserInfo: providerId is required"),
            (Self.row("u") { $0.providers = [provider("email", "a")] }, "providerId is invalid"),
            (Self.row("u") { $0.providers = [provider("a b", "a")] }, "providerId is invalid"),
            (
                Self.row("u") { $0.providers = [provider("a", String(repeating: "s", count: 1025))] },
                "providerId is invalid"
            ),
        ]
        for (row, text) in cases { #expect(throws: ImportFault(text), "\(row)") { try ImportedUser(row) } }
    }

    @Test func `what others have is refused, in the database and in the same batch`() async throws {
        let scene = try Scene()
        let ann = Self.row("ann") { row in
            row.email = "ann@example.com"
            row.providers = [Self.google("g")]
        }
        try await Self.take(ann, into: scene)
        let both = Self.row("both") { row in
            row.email = "not an address"
            row.providers = [Self.google("g")]
        }
        let outcomes = try await Self.take(
            Self.row("bob") { $0.email = "ANN@example.com" },
            Self.row("cleo") { $0.providers = [Self.google("g")] },
            both,
            Self.row("dan") { $0.email = "nobody" },
            Self.row("eve") { row in
                row.email = "eve@example.com"
                row.providers = [Self.google("e")]
            },
            Self.row("fay") { $0.email = "eve@example.com" },
            Self.row("gus") { $0.providers = [Self.google("e")] },
            Self.row("ann"),
            Self.row("eve"),
            into: scene
        )
        let faults = outcomes.map { if case .refused(let fault) = $0 { fault.text } else { "\($0)" } }
        let email = "email exists in other account in database", raw = "raw id exists in other account in database"
        let exists = "localId belongs to an existing account - can not overwrite."
        #expect(
            faults == [
                email, raw, raw, "email is invalid", "created(isGuest: false)", email, raw, exists, exists,
            ]
        )
        for uid in ["bob", "cleo", "both", "dan", "fay", "gus"] { #expect(try await Self.user(uid, in: scene) == nil) }
    }

    // MARK: Existing users

    @Test func `who is replaced loses sessions, links and what the row does not say, and keeps what they own`()
        async throws
    {
        let scene = try Scene()
        try await Self.take(
            Self.row("ann") { row in
                row.email = "ann@example.com"
                row.displayName = "Ann"
                row.createdAt = 5
                row.providers = [Self.google("g")]
            },
            into: scene
        )
        try await scene.run { flows, transaction in
            try transaction.insert(
                Session(SessionOpening(sid: "s", rotates: true), uid: "ann", provider: .custom, at: transaction.now)
            )
            try transaction.set("administrators", to: "ann")
        }
        // In one batch, a row may use what an earlier row releases.
        let outcomes = try await Self.take(
            Self.row("ann") { $0.email = "other@example.com" },
            Self.row("bob") { row in
                row.email = "ann@example.com"
                row.providers = [Self.google("g")]
            },
            into: scene
        ) { $0.existing = .replace }
        #expect(outcomes == [.replaced, .created(isGuest: false)])
        let ann = try #require(try await Self.user("ann", in: scene))
        #expect(ann.email == "other@example.com" && ann.displayName == nil && ann.validSince == scene.now / 1000)
        #expect(ann.createdAt == scene.now)
        let (identities, session) = try await scene.database.read {
            (try $0.identities(of: "ann"), try $0.sessionAndUser("s")?.session)
        }
        #expect(identities.isEmpty && session?.endedAt == scene.now)
    }

    @Test func `a user with a credential never becomes a guest again`() async throws {
        let scene = try Scene()
        try await Self.take(Self.row("ann") { $0.email = "ann@example.com" }, Self.row("guest"), into: scene)
        let since = try await Self.user("guest", in: scene)?.anonymousSince
        try await Self.take(Self.row("ann"), Self.row("guest"), into: scene) { $0.existing = .replace }
        #expect(try await Self.user("ann", in: scene)?.isAnonymous == false)
        #expect(try await Self.user("guest", in: scene)?.anonymousSince == since)
        try await Self.take(Self.row("guest") { $0.email = "g@example.com" }, into: scene) { $0.existing = .replace }
        #expect(try await Self.user("guest", in: scene)?.isAnonymous == false)
    }

    @Test func `a repeated import changes nothing, and restores no user`() async throws {
        let scene = try Scene()
        let rows = ["here", "deleted", "merged", "new"].map { uid in Self.row(uid) { $0.email = uid + "@example.com" } }
        for row in rows.dropLast() { try await Self.take(row, into: scene) }
        try await scene.run { _, transaction in
            try transaction.deleteUser("deleted", mergedInto: nil)
            try transaction.deleteUser("merged", mergedInto: "here")
            var here = try #require(try transaction.user("here"))
            here.displayName = "Changed"
            here.email = "moved@example.com"
            try transaction.update(here)
        }
        let again = try await Self.take(rows[0], rows[1], rows[2], rows[3], into: scene) { $0.existing = .keep }
        #expect(again == [.kept, .gone, .gone, .created(isGuest: false)])
        #expect(try await Self.user("here", in: scene)?.displayName == "Changed")

        // In the administrators' call, a deleted user may be created again, a merged user never.
        let merged = ImportOutcome.refused(
            ImportFault("DUPLICATE_LOCAL_ID : localId belongs to a user who was merged into another one.")
        )
        for existing in [ImportOptions.Existing.refuse, .replace] {
            #expect(try await Self.take(rows[2], into: scene) { $0.existing = existing } == [merged])
        }
        #expect(try await Self.take(rows[1], into: scene) == [.created(isGuest: false)])
        let former = try await scene.database.read { (try $0.formerUser("deleted"), try $0.formerUser("merged")) }
        #expect(former.0 == nil && former.1 != nil, "each UID is one of present, merged and deleted")
    }

    @Test func `a guest whom a merge holds is not replaced`() async throws {
        let scene = try Scene()
        try await Self.take(Self.row("guest"), Self.row("ann") { $0.email = "ann@example.com" }, into: scene)
        try await scene.run { try $1.prepareMerge("m", of: "guest", into: "ann", lease: 60_000) }
        let outcomes = try await Self.take(Self.row("guest") { $0.email = "x@example.com" }, into: scene) {
            $0.existing = .replace
        }
        guard case .refused(let fault) = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(fault.text.hasPrefix("MERGE_IN_PROGRESS : "))
        #expect(try await Self.user("guest", in: scene)?.email == nil)
    }

    // MARK: Clean-up

    @Test func `a guest's time for clean-up begins with the import, however old the guest is`() async throws {
        let scene = try Scene()
        let day: Int64 = 86_400_000
        let old = scene.now - 400 * day
        func due(_ uid: String) async throws -> Bool {
            try await scene.database.read { try $0.dueGuests(limit: 99).contains { $0.uid == uid } }
        }
        // Clean-up was switched on and off again before the guest was imported, so it is not scheduled.
        var change = CleanupChange()
        change.isOn = true
        try await scene.run { [change] in try $0.change(change, in: $1) }
        change.isOn = false
        try await scene.run { [change] in try $0.change(change, in: $1) }
        try await Self.take(Self.row("early") { $0.createdAt = old }, into: scene)
        try await scene.run { flows, transaction in
            let scheduled = try transaction.scheduleGuests(createdBy: transaction.now - 1500, for: 1, limit: 9)
            #expect(scheduled == 0, "created long ago, but a guest here only since the import")
        }
        // After switching clean-up on later, the time counts from then.
        change.isOn = true
        try await scene.run { [change] in try $0.change(change, in: $1) }
        try await Self.take(Self.row("late") { $0.createdAt = old }, into: scene)
        func sweep() async throws {
            try await scene.run(alone: true) { _ = try $0.sweep(SweepOrder(worker: "w"), in: $1) }
        }
        // One sweep for each time clean-up was switched on.
        try await sweep()
        try await sweep()
        scene.advance(milliseconds: 29 * day)
        #expect(try await !due("early"))
        #expect(try await !due("late"))
        scene.advance(milliseconds: day + 10_000)
        #expect(try await due("early"))
        #expect(try await due("late"))
    }

    // MARK: Faults

    @Test func `a batch that breaks off anywhere imports nothing`() async throws {
        let scene = try Scene()
        let rows = [
            Self.row("ann") { row in
                row.email = "ann@example.com"
                row.providers = [Self.google("g")]
            }, Self.row("bob"),
        ]
        let users = try rows.map { try ImportedUser($0) }
        func importAll() async throws {
            try await scene.run(alone: true) { _ = try $0.importUsers(users, ImportOptions(), in: $1) }
        }
        var number = 1
        while true {
            let (count, error) = await scene.statements(failing: number) { try await importAll() }
            guard error != nil else {
                #expect(count == number - 1)
                break
            }
            #expect(try await Self.user("ann", in: scene) == nil, "\(number)")
            #expect(try await Self.user("bob", in: scene) == nil, "\(number)")
            number += 1
        }
        #expect(number > 7)
        #expect(try await Self.user("bob", in: scene) != nil)
    }
}
