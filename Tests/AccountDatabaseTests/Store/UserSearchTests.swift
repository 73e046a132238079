import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Search of users")
struct UserSearchTests {
    /// Makes `count` guests, and then five permanent users.
    private static func world(guests count: Int = 3) async throws -> FreshStore {
        let fresh = try FreshStore()
        try await fresh.database.write { transaction in
            for number in 0..<count { try transaction.insert(User(anonymous: "guest\(number)", at: Int64(number))) }
            for (number, name) in ["ada", "adam", "bob", "Zoë", "a%_b"].enumerated() {
                var user = User(uid: "user-\(name)", createdAt: Int64(1000 + number))
                user.email = "\(name.lowercased())@example.com"
                if name == "bob" { user.disabledAt = 9 }
                if name == "ada" { user.contest = Contest(since: 8, oldEmail: "old@example.com") }
                try transaction.insert(user)
            }
            try transaction.put(Identity(uid: "user-bob", provider: "google.com", subject: "adams-subject"))
            try transaction.put(Identity(uid: "user-bob", provider: "apple.com", subject: "adams-subject"))
            try transaction.put(Identity(uid: "user-Zoë", provider: "google.com", subject: "adams-other"))
            for (uid, name) in [("user-adam", "Adamant"), ("guest1", "AdaGuest")] {
                if let username = Username(name) { try transaction.setUsername(username, of: uid) }
            }
        }
        return fresh
    }

    /// Reads all pages of a search.
    private static func uids(
        _ text: String,
        _ filter: UserSearch.Filter? = nil,
        pages limit: Int,
        in fresh: FreshStore
    ) async throws -> [String] {
        let search = try #require(UserSearch(text, filter: filter))
        var uids: [String] = [], position: UserSearchPosition?, pages = 0
        repeat {
            let place = position
            let page = try await fresh.database.read { try $0.users(search, after: place, limit: limit) }
            #expect(page.users.count <= limit)
            uids += page.users.map(\.user.uid)
            // A position survives its way through a URL.
            position = try page.next.map { try #require(UserSearchPosition(text: $0.text)) }
            pages += 1
        } while position != nil && pages < 50
        #expect(position == nil)
        return uids
    }

    @Test(arguments: [1, 2, 3, 100])
    func `pages of any length have every user once`(limit: Int) async throws {
        let fresh = try await Self.world()
        defer { fresh.remove() }
        let permanent = ["user-a%_b", "user-Zoë", "user-bob", "user-adam", "user-ada"]
        #expect(try await Self.uids("", pages: limit, in: fresh) == permanent + ["guest2", "guest1", "guest0"])
        #expect(try await Self.uids("", .permanent, pages: limit, in: fresh) == permanent)
        #expect(try await Self.uids("", .guests, pages: limit, in: fresh) == ["guest2", "guest1", "guest0"])
        #expect(try await Self.uids("", .disabled, pages: limit, in: fresh) == ["user-bob"])
        #expect(try await Self.uids("", .contested, pages: limit, in: fresh) == ["user-ada"])
        // By address, by username, and by subject, which is compared as it is.
        #expect(try await Self.uids("ADA", pages: limit, in: fresh) == ["user-ada", "user-adam", "guest1"])
        let both = ["user-ada", "user-adam", "guest1", "user-Zoë", "user-bob"]
        #expect(try await Self.uids("ada", pages: limit, in: fresh) == both)
        #expect(try await Self.uids("adams-", pages: limit, in: fresh) == ["user-Zoë", "user-bob"])
        #expect(try await Self.uids("user-", .disabled, pages: limit, in: fresh) == ["user-bob"])
        #expect(try await Self.uids("user-Z", pages: limit, in: fresh) == ["user-Zoë"])
    }

    @Test func `a search finds exact texts and no patterns`() async throws {
        let fresh = try await Self.world()
        defer { fresh.remove() }
        for (text, uids) in [
            ("Ada@Example.com", ["user-ada"]), ("@adamANT", ["user-adam"]), ("%", []), ("_", []), ("a%", ["user-a%_b"]),
            ("ZOË@example.com", ["user-Zoë"]), ("'", []), ("\\", []), ("guest1", ["guest1"]), ("GUEST1", []),
        ] {
            #expect(try await Self.uids(text, pages: 10, in: fresh) == uids, "\(text)")
        }
    }

    @Test func `a page that finds nothing among many rows says where to go on`() async throws {
        let fresh = try await Self.world(guests: UserSearchWindow.rows + 10)
        defer { fresh.remove() }
        let search = try #require(UserSearch("guest", filter: .permanent))
        let first = try await fresh.database.read { try $0.users(search, after: nil, limit: 10) }
        #expect(first.users.isEmpty)
        #expect(first.next != nil)
        #expect(try await Self.uids("guest", .permanent, pages: 10, in: fresh) == [])
    }

    @Test(arguments: [
        String(repeating: "a", count: 1_000_000), String(repeating: "a", count: 255), "a\u{0}b", "a\nb",
    ])
    func `a text that no user can have is no search`(text: String) {
        #expect(UserSearch(text) == nil)
    }

    @Test(arguments: ["", "x", "::", "uid:x:y", "sub:1:y", ":1:x", "uid:99999999999999999999:y", "email:1"])
    func `no other text is a position`(text: String) {
        #expect(UserSearchPosition(text: text) == nil)
    }

    @Test func `the position of another search is no position`() async throws {
        let fresh = try await Self.world()
        defer { fresh.remove() }
        let all = try #require(UserSearch("")), some = try #require(UserSearch("ada"))
        let pages = try await fresh.database.read { transaction in
            [
                try transaction.users(all, after: UserSearchPosition(field: .uid, key: "a", row: 1), limit: 9),
                try transaction.users(some, after: UserSearchPosition(field: nil, key: "1", row: 1), limit: 9),
            ]
        }
        #expect(pages == [FoundUsers(users: [], next: nil), FoundUsers(users: [], next: nil)])
    }
}
