import AccountDatabase
import Accounts
import Database
import JSON
import Server
import Testing

@Suite("Lists of users for administrators")
struct ListUsersTests {
    private static func uids(_ answer: Answer, _ list: String = "users") -> [String] {
        answer.json[list]?.array?.compactMap { $0["localId"]?.string } ?? []
    }

    /// Stores this many users, `u0000` and so on.
    private static func fill(_ server: TestServer, _ count: Int) throws {
        try server.elsewhere { store in
            try store.database.writeNow { transaction in
                for number in 0..<count {
                    try transaction.insert(User(uid: "u" + String(String(10_000 + number).dropFirst()), createdAt: 1))
                }
            }
        }
    }

    @Test func `pages are in the order of UIDs, and each user is in one`() async throws {
        try await TestServer.run { server in
            #expect(try server.list().json == ["kind": "identitytoolkit#DownloadAccountResponse", "users": []])
            try Self.fill(server, 45)
            let first = try server.list()
            #expect(Self.uids(first).count == 20 && first["nextPageToken"] == "u0019")
            var all: [String] = [], token = ""
            repeat {
                let page = try server.list("?maxResults=15&nextPageToken=\(token)")
                all += Self.uids(page)
                token = page["nextPageToken"]
            } while !token.isEmpty && all.count < 100
            #expect(all.count == 45 && all == all.sorted() && Set(all).count == 45)
            #expect(try server.list("?maxResults=15&nextPageToken=u0029")["nextPageToken"] == "u0044", "as it is full")
            #expect(!(try server.list("?maxResults=15&nextPageToken=u0044").keys.contains("nextPageToken")))
            #expect(Self.uids(try server.list("?maxResults=0")).count == 20)
            let everybody = try server.list("?maxResults=-1")
            #expect(Self.uids(everybody).count == 45 && !everybody.keys.contains("nextPageToken"))
            #expect(try server.list("?maxResults=x").status == 400)
            #expect(try server.list("?nextPageToken=%00").status == 400)
        }
    }

    @Test func `a page has at most a thousand`() async throws {
        try await TestServer.run { server in
            try Self.fill(server, 1001)
            let page = try server.list("?maxResults=5000")
            #expect(Self.uids(page).count == 1000 && page["nextPageToken"] == "u0999")
        }
    }

    @Test func `users in a list are as lookup shows them`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com"), guest = try server.guest()
            try server.create(["localId": "zoe", "email": "zoe@example.com"])
            for (uid, subject) in [(ann.uid, "1"), ("zoe", "2")] {
                for provider in ["google.com", "apple.com"] {
                    let link: JSONValue = ["providerId": .string(provider), "rawId": .string(subject)]
                    #expect(try server.change(uid, ["linkProviderUserInfo": link]).status == 200)
                }
            }
            let named = try server.send(
                "POST",
                "/v1/accounts:setUsername",
                headers: ["Authorization: Bearer \(ann.idToken)"],
                body: Array(#"{"username":"Ann"}"#.utf8)
            )
            #expect(named.status == 200)
            for uid in [ann.uid, guest.uid, "zoe"] {
                let listed = try server.list().json["users"]?.array?.first { $0["localId"]?.string == uid }
                let found = try server.find(uid: uid)
                #expect(listed == found)
            }
            #expect(try server.find(uid: "zoe").providers == ["google.com", "apple.com"])
            #expect(try server.find(uid: ann.uid)["username"]?.string == "Ann")
        }
    }

    @Test(arguments: ["accounts:query", ":queryAccounts"])
    func `a query counts, or shows all`(call: String) async throws {
        try await TestServer.run { server in
            func query(_ body: JSONValue = [:]) throws -> Answer {
                try server.send(
                    "POST",
                    "/v1/projects/demo-latchkey\(call.hasPrefix(":") ? "" : "/")\(call)",
                    headers: ["Authorization: Bearer owner"],
                    body: body.serialized()
                )
            }
            #expect(try query().json == ["recordsCount": "0", "userInfo": []])
            try Self.fill(server, 25)
            #expect(try query(["returnUserInfo": false]).json == ["recordsCount": "25"])
            let all = try query()
            #expect(all["recordsCount"] == "25" && Self.uids(all, "userInfo").count == 25)
            #expect(Self.uids(try query(["sortBy": "USER_ID", "order": "DESC"]), "userInfo").first == "u0024")
            #expect(Self.uids(try query(["sortBy": 1, "order": 1, "offset": "0"]), "userInfo").first == "u0000")
            let unknown: [JSONValue] = [
                ["expression": [["email": "a@example.com"]]], ["limit": "10"], ["offset": 3], ["sortBy": "NAME"],
                ["sortBy": 3],
            ]
            for body in unknown { #expect(try query(body).status == 501, "\(body)") }
        }
    }

    @Test func `no call returns too many users at once`() async throws {
        try await TestServer.run { server in
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    _ = try transaction.execute(
                        """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
                        INSERT INTO users (uid, valid_since, created_at, last_login_at, last_refresh_at)
                        SELECT 'u' || i, 0, 1, 1, 1 FROM n
                        """
                    )
                }
            }
            #expect(try server.list("?maxResults=-1").status == 501)
            #expect(try server.admin("accounts:query").status == 501)
            #expect(try server.admin("accounts:query", ["returnUserInfo": false])["recordsCount"] == "20001")
            #expect(try server.list("?maxResults=1000&nextPageToken=u9").json["users"]?.array?.count == 1000)
        }
    }
}
