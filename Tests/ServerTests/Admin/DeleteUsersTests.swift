import AccountDatabase
import Accounts
import Database
import JSON
import Server
import Testing

@Suite("Deletion of users by administrators")
struct DeleteUsersTests {
    @Test func `deleting users ends their sessions, codes and links`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try server.admin("accounts:delete", ["localId": .string(ann.uid)])
            #expect(answer.text == #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
            #expect(try server.lookup(ann.idToken).code == "USER_NOT_FOUND")
            #expect(try server.refresh(ann.refreshToken).code == "INVALID_REFRESH_TOKEN")
            #expect(try server.admin("accounts:delete", ["localId": .string(ann.uid)]).code == "USER_NOT_FOUND")
            #expect(try server.admin("accounts:delete").code == "MISSING_LOCAL_ID")
            #expect(try server.call("accounts:delete", ["localId": "x"]).code == "MISSING_ID_TOKEN")
        }
    }

    @Test func `only the disabled go, unless forced; strangers are no error`() async throws {
        try await TestServer.run { server in
            try server.create(["localId": "a"])
            try server.create(["localId": "b", "disabled": true])
            let stream = try server.signIn("c@example.com")
            let answer = try server.admin(
                "accounts:batchDelete",
                ["localIds": ["nobody", "a", "a", "b", .string(stream.uid)]]
            )
            #expect(answer.status == 200)
            let message: JSONValue = "NOT_DISABLED : Disable the account before batch deletion."
            #expect(
                answer.json
                    == [
                        "errors": [
                            ["index": 1, "localId": "a", "message": message],
                            ["index": 3, "localId": .string(stream.uid), "message": message],
                        ]
                    ],
                "places are counted without repetitions"
            )
            #expect(try server.find(["localId": ["a", "b"]]).count == 1)
            let forced = try server.admin(
                "accounts:batchDelete",
                ["localIds": ["a", "b", .string(stream.uid)], "force": true]
            )
            #expect(forced.text == "{}")
            #expect(try server.lookup(stream.idToken).code == "USER_NOT_FOUND")
        }
    }

    @Test func `a thousand go in one call, and no more`() async throws {
        try await TestServer.run { server in
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    for number in 0..<1000 { try transaction.insert(User(uid: "u\(number)", createdAt: 1)) }
                }
            }
            let all = (0..<1000).map { JSONValue.string("u\($0)") }
            for bad: JSONValue in [[:], ["localIds": []], ["localIds": .array(all + ["one more"])]] {
                #expect(try server.admin("accounts:batchDelete", bad).code == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
            }
            #expect(try server.admin("accounts:query", ["returnUserInfo": false])["recordsCount"] == "1000")
            #expect(try server.admin("accounts:batchDelete", ["localIds": .array(all), "force": true]).text == "{}")
            #expect(try server.admin("accounts:query", ["returnUserInfo": false])["recordsCount"] == "0")
        }
    }

    @Test func `the same users are deleted by several at once without harm`() async throws {
        try await TestServer.run { server in
            let uids = (0..<120).map { "u\($0)" }
            for uid in uids { try server.create(["localId": .string(uid)]) }
            let body: JSONValue = ["localIds": .array(uids.map { .string($0) }), "force": true]
            let answers = try server.adminAtOnce(Array(repeating: ("accounts:batchDelete", body), count: 4))
            #expect(answers.allSatisfy { $0.text == "{}" })
            #expect(try server.admin("accounts:query", ["returnUserInfo": false])["recordsCount"] == "0")
        }
    }

    @Test(
        arguments: [
            "CREATE TABLE orders (buyer TEXT REFERENCES users (uid))",
            "CREATE TABLE orders (buyer TEXT REFERENCES users (uid) DEFERRABLE INITIALLY DEFERRED)",
        ] as [SQL]
    )
    func `a row of the operator's keeps its user, and no other`(table: SQL) async throws {
        try await TestServer.run { server in
            for number in 0..<60 { try server.create(["localId": .string("u\(number)")]) }
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    try transaction.execute(table)
                    try transaction.execute("INSERT INTO orders VALUES ('u7')")
                }
            }
            #expect(try server.admin("accounts:delete", ["localId": "u7"]).code == "OPERATION_NOT_ALLOWED")
            let all = (0..<60).map { JSONValue.string("u\($0)") }
            let answer = try server.admin("accounts:batchDelete", ["localIds": .array(all), "force": true])
            let errors = try #require(answer.json["errors"]?.array)
            #expect(errors.count == 1)
            #expect(errors.first?["index"] == 7 && errors.first?["localId"]?.string == "u7")
            #expect(errors.first?["message"]?.string?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true)
            #expect(!answer.text.contains("orders"))
            #expect(try server.list().json["users"]?.array?.count == 1)
        }
    }
}
