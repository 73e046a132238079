import JSON
import Testing

/// The contract's section 3.11.
@Suite("Contract, 3.11: lists of users")
struct ListContractTests {
    private static func fill(_ server: TestServer, _ count: Int) throws {
        let users = (0..<count).map { index -> JSONValue in
            ["localId": .string("u\(String(1000 + index).dropFirst())"), "email": .string("u\(index)@example.com")]
        }
        let answer = try server.owner("/accounts:batchCreate", ["users": .array(users)])
        try #require(answer.status == 200 && answer.json["error"] == nil, "\(answer.text)")
    }

    private static func uids(_ answer: Answer, _ name: String = "users") -> [String] {
        answer.json[name]?.array?.compactMap { $0["localId"]?.string } ?? []
    }

    private static func page(_ query: String, _ server: TestServer) throws -> Answer {
        try server.owner("/accounts:batchGet\(query)", nil, method: "GET")
    }

    // MARK: batchGet

    @Test func `pages are in the order of UIDs, and a full one says how to go on`() async throws {
        try await TestServer.run { server in
            let empty = try Self.page("", server)
            #expect(empty.text == #"{"kind":"identitytoolkit#DownloadAccountResponse","users":[]}"#)
            try Self.fill(server, 4)
            let first = try Self.page("?maxResults=2", server)
            #expect(Self.uids(first) == ["u000", "u001"])
            #expect(first["nextPageToken"] == "u001")
            let second = try Self.page("?maxResults=2&nextPageToken=u001", server)
            #expect(Self.uids(second) == ["u002", "u003"])
            #expect(second["nextPageToken"] == "u003", "a full page, though nothing follows")
            let last = try Self.page("?maxResults=2&nextPageToken=u003", server)
            #expect(last.json["users"] == [])
            #expect(!last.keys.contains("nextPageToken"))
            #expect(try !Self.page("?maxResults=5", server).keys.contains("nextPageToken"))
        }
    }

    @Test func `a page has 20 users by default and 1000 at most, and all with a negative number`() async throws {
        try await TestServer.run { server in
            try Self.fill(server, 999)
            _ = try server.make(["localId": "v1"])
            _ = try server.make(["localId": "v2"])
            #expect(try Self.uids(Self.page("", server)).count == 20)
            #expect(try Self.uids(Self.page("?maxResults=1000", server)).count == 1000)
            #expect(try Self.uids(Self.page("?maxResults=5000", server)).count == 1000)
            #expect(try Self.uids(Self.page("?maxResults=-1", server)).count == 1001)
        }
    }

    // MARK: query

    @Test func `a query counts, or lists in the order that is asked for`() async throws {
        try await TestServer.run { server in
            try Self.fill(server, 3)
            let count = try server.owner("/accounts:query", ["returnUserInfo": false])
            #expect(count.text == #"{"recordsCount":"3"}"#)
            let all = try server.owner("/accounts:query", [:])
            #expect(all.json["recordsCount"] == "3")
            #expect(Self.uids(all, "userInfo") == ["u000", "u001", "u002"])
            for order: JSONValue in ["DESC", 2] {
                let falling = try server.owner("/accounts:query", ["order": order])
                #expect(Self.uids(falling, "userInfo") == ["u002", "u001", "u000"], "\(order)")
            }
            #expect(try Self.uids(server.owner(":queryAccounts", [:]), "userInfo").count == 3)
        }
    }

    @Test func `other parameters of a query are not implemented`() async throws {
        try await TestServer.run { server in
            let bodies: [JSONValue] = [
                ["expression": [["email": "a@b.co"]]], ["limit": "5"], ["offset": "1"], ["sortBy": "NAME"],
            ]
            for body in bodies {
                let answer = try server.owner("/accounts:query", body)
                #expect(answer.status == 501, "\(body)")
            }
            let plain = try server.owner("/accounts:query", ["offset": "0", "sortBy": "USER_ID"])
            #expect(plain.status == 200)
        }
    }

    // MARK: batchDelete

    @Test func `several users are deleted, enabled ones only with force`() async throws {
        try await TestServer.run { server in
            try Self.fill(server, 4)
            _ = try server.owner("/accounts:update", ["localId": "u001", "disableUser": true])
            let answer = try server.owner("/accounts:batchDelete", ["localIds": ["u000", "u001", "nobody"]])
            #expect(answer.status == 200)
            let error = try #require(answer.json["errors"]?.array?.first, "\(answer.text)")
            #expect(answer.json["errors"]?.array?.count == 1)
            #expect(error["index"] == 0)
            #expect(error["localId"] == "u000")
            #expect(error["message"] == "NOT_DISABLED : Disable the account before batch deletion.")
            let forced = try server.owner("/accounts:batchDelete", ["localIds": ["u000", "u002"], "force": true])
            #expect(forced.text == "{}")
            #expect(try Self.uids(Self.page("", server)) == ["u003"])
        }
    }

    @Test func `an empty batch and one of more than 1000 users are not deleted`() async throws {
        try await TestServer.run { server in
            let many = JSONValue.array((0...1000).map { .string("u\($0)") })
            for ids: JSONValue in [[], many] {
                let answer = try server.owner("/accounts:batchDelete", ["localIds": ids, "force": true])
                #expect(answer.code == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
            }
            #expect(try server.owner("/accounts:batchDelete", [:]).code == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
        }
    }

    // MARK: batchCreate

    @Test func `users are imported with UID, address, profile, claims, providers and times`() async throws {
        try await TestServer.run { server in
            let answer = try server.owner(
                "/accounts:batchCreate",
                [
                    "users": [
                        [
                            "localId": "ann", "email": "Ann@Example.com", "emailVerified": true, "displayName": "Ann",
                            "photoUrl": "http://x/a", "disabled": true, "customAttributes": #"{"a":1}"#,
                            "createdAt": 1_500_000_000_000, "lastLoginAt": "1600000000000",
                            "providerUserInfo": [
                                ["providerId": "google.com", "rawId": "7", "email": "ann@gmail.com"],
                                ["providerId": "password", "rawId": "x"], ["providerId": "phone", "rawId": "+1"],
                                ["providerId": "oidc.old", "rawId": "8"],
                            ],
                        ]
                    ]
                ]
            )
            #expect(answer.text == #"{"kind":"identitytoolkit#UploadAccountResponse"}"#)
            let user = try server.found("ann")
            let expected: JSONValue = [
                "email": "ann@example.com", "emailVerified": true, "displayName": "Ann", "photoUrl": "http://x/a",
                "disabled": true, "customAttributes": #"{"a":1}"#, "createdAt": "1500000000000",
                "lastLoginAt": "1600000000000",
            ]
            for (name, value) in expected.object?.members ?? [] { #expect(user[name] == value, "\(name)") }
            #expect(user["validSince"]?.string != nil)
            #expect(Set(user.providers) == ["google.com", "oidc.old"])
        }
    }

    static let rows: [(JSONValue, String)] = [
        ([:], "localId is missing"), (["localId": "x", "email": "nobody"], "email is invalid"),
        (["localId": "x", "email": "Taken@b.co"], "email exists in other account in database"),
        (
            ["localId": "x", "providerUserInfo": [["providerId": "google.com", "rawId": "7"]]],
            "raw id exists in other account in database"
        ),
        (
            ["localId": "x", "providerUserInfo": [["providerId": "google.com"]]],
            "providerUserInfo: rawId is required"
        ),
        (["localId": "x", "customAttributes": "{"], "Invalid custom claims provided."),
        (
            ["localId": "x", "customAttributes": .string("{\"a\":\"" + String(repeating: "x", count: 1000) + "\"}")],
            "Custom claims provided are too large."
        ),
        (["localId": "x", "customAttributes": #"{"sub":1}"#], "Custom claims provided include a reserved claim."),
    ]

    @Test func `a bad row is reported by its index, and the others are stored`() async throws {
        try await TestServer.run { server in
            let taken = try server.make(["localId": "taken", "email": "taken@b.co"])
            _ = try server.owner(
                "/accounts:update",
                ["localId": .string(taken), "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7"]]
            )
            for (index, (row, message)) in Self.rows.enumerated() {
                let good: JSONValue = ["localId": .string("good\(index)")]
                let answer = try server.owner("/accounts:batchCreate", ["users": [good, row]])
                #expect(answer.status == 200)
                let errors = try #require(answer.json["error"]?.array)
                #expect(errors.count == 1 && errors.first?["index"] == 1, "\(answer.text)")
                #expect(errors.first?["message"]?.string == message)
                #expect(try server.found("good\(index)")["localId"] != nil)
                #expect(try server.owner("/accounts:lookup", ["localId": ["x"]]).keys == ["kind"], "\(message)")
            }
        }
    }

    @Test func `an existing UID is overwritten only with allowOverwrite`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["localId": "ann", "displayName": "Old", "email": "old@b.co"])
            let users: JSONValue = [["localId": "ann", "photoUrl": "http://x/a"]]
            let kept = try server.owner("/accounts:batchCreate", ["users": users])
            #expect(
                kept.json["error"]?.array?.first?["message"]
                    == "localId belongs to an existing account - can not overwrite."
            )
            let done = try server.owner("/accounts:batchCreate", ["users": users, "allowOverwrite": true])
            #expect(done.status == 200 && done.json["error"] == nil)
            let user = try server.found("ann")
            #expect(user["displayName"] == nil)
            #expect(user["email"] == nil)
            #expect(user["photoUrl"] == "http://x/a")
        }
    }

    static let calls: [(JSONValue, String)] = [
        ([:], "MISSING_USER_ACCOUNT"), (["users": []], "MISSING_USER_ACCOUNT"),
        (
            [
                "sanityCheck": true,
                "users": [["localId": "a", "email": "x@b.co"], ["localId": "b", "email": "x@b.co"]],
            ],
            "DUPLICATE_EMAIL : x@b.co"
        ),
        (
            [
                "sanityCheck": true,
                "users": [
                    ["localId": "a", "providerUserInfo": [["providerId": "google.com", "rawId": "7"]]],
                    ["localId": "b", "providerUserInfo": [["providerId": "google.com", "rawId": "7"]]],
                ],
            ], "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(7)"
        ),
        (["users": [["localId": "a"], ["localId": "a"]]], "DUPLICATE_LOCAL_ID : a"),
    ]

    @Test func `a value that two rows share refuses the whole call`() async throws {
        try await TestServer.run { server in
            for (body, message) in Self.calls {
                let answer = try server.owner("/accounts:batchCreate", body)
                #expect(answer.status == 400 && answer.message.hasPrefix(message), "\(answer.text)")
            }
            #expect(try Self.uids(Self.page("", server)).isEmpty)
        }
    }
}
