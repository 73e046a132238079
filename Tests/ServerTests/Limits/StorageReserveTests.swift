import JSON
import PostgreSQLHarness
import Testing

@Suite("A disk that runs low")
struct StorageReserveTests {
    private static func expectLow(_ answer: Answer) {
        #expect(answer.status == 503 && answer.code == "STORAGE_LOW", "\(answer.text)")
        #expect(answer.header("retry-after") != nil)
    }

    @Test(.enabled(if: TestDatabase.isFile, "a server's disk is the server's concern"))
    func `the storage reserve keeps its last space for sign-in, refresh and mail`() async throws {
        try await TestServer.runInProduction { server throws in
            let guest = try server.guest()
            #expect(try server.document("PUT", "c/1", "{}", guest.idToken).status == 201)

            server.disk.leave(mebibytes: 200)
            try server.eventually("documents are refused") {
                try server.document("PUT", "c/1", "{}", guest.idToken).status == 503
            }
            let batch = #"{"writes":[{"collection":"c","id":"2","set":{}}]}"#
            for answer in [
                try server.document("PUT", "c/1", "{}", guest.idToken),
                try server.document("PATCH", "c/1", "{}", guest.idToken),
                try server.document("PATCH", "", batch, guest.idToken),
            ] {
                Self.expectLow(answer)
            }
            #expect(try server.document("GET", "c/1", guest.idToken).status == 200)
            #expect(try server.document("DELETE", "c/1", guest.idToken).status == 204, "gives space back")
            _ = try server.guest()
            #expect(server.log.all.count { $0.contains(#""event":"storage","level":"low""#) } == 1)
            #expect(!server.log.contains("request.failed"), "one line is enough")

            server.disk.leave(mebibytes: 100)
            try server.eventually("guests are refused") { try server.call("accounts:signUp").status == 503 }
            Self.expectLow(try server.call("accounts:signUp"))
            let ann = try server.signIn("ann@example.com")
            #expect(try server.refresh(ann.refreshToken).status == 200)
            #expect(try server.refresh(guest.refreshToken).status == 200)
            #expect(try server.lookup(guest.idToken).status == 200)

            server.disk.leave(mebibytes: 300)
            try server.eventually("documents are taken") {
                try server.document("PUT", "c/1", "{}", guest.idToken).status == 201
            }
            _ = try server.guest()
        }
    }

    @Test(.enabled(if: TestDatabase.isFile, "a server's disk is the server's concern"))
    func `answers a repeated sign-up, which writes nothing`() async throws {
        try await TestServer.runInProduction { server throws in
            func signUp(_ name: String) throws -> Answer {
                try server.call("accounts:signUp", headers: ["Idempotency-Key: \(String(repeating: name, count: 43))"])
            }
            let guest = try signUp("a")["localId"]
            server.disk.leave(mebibytes: 100)
            try server.eventually("guests are refused") { try server.call("accounts:signUp").status == 503 }
            #expect(try signUp("a")["localId"] == guest)
            Self.expectLow(try signUp("b"))
            server.disk.leave(mebibytes: 300)
            try server.eventually("guests are taken") { try signUp("b").status == 200 }
        }
    }

    @Test(.enabled(if: !TestDatabase.isFile))
    func `the storage reserve does not apply to nodes on PostgreSQL`() async throws {
        try await TestServer.runInProduction { server throws in
            server.disk.leave(mebibytes: 0)
            #expect(try server.document("PUT", "c/1", "{}", server.guest().idToken).status == 201)
        }
    }

    @Test func `the storage reserve is watched in production only, unless it is configured`() async throws {
        try await TestServer.run { server throws in
            server.disk.leave(mebibytes: 0)
            #expect(try server.document("PUT", "c/1", "{}", server.guest().idToken).status == 201)
        }
        try await TestServer.runInProduction(["STORAGE_LOW_MARK": "0"]) { server throws in
            server.disk.leave(mebibytes: 0)
            #expect(try server.document("PUT", "c/1", "{}", server.guest().idToken).status == 201)
        }
    }
}
