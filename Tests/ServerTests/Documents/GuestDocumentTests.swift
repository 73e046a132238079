import JSON
import Testing

@Suite("Documents of guests")
struct GuestDocumentTests {
    private static func text(_ bytes: Int) -> String { #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"# }

    @Test func `sixty guests of one address cannot fill the disk`() async throws {
        try await TestServer.runInProduction { server throws in
            let document = Self.text(65_536)
            var stored = 0
            for _ in 0..<60 {
                let guest = try server.guest().idToken
                for number in 0..<6 {
                    let answer = try server.document("PUT", "c/\(number)", document, guest)
                    if answer.status == 201 {
                        stored += 65_536
                    } else {
                        #expect(answer.status == 403 && answer.code == "DOCUMENT_QUOTA_EXCEEDED", "\(answer.text)")
                    }
                }
            }
            #expect(stored == 60 * (256 << 10), "before there was a quota: \(60 * 6 * 65_536)")
        }
    }

    @Test func `a guest has a quota of its own until it is linked`() async throws {
        let settings = ["DOCUMENTS_GUEST_MAX_COUNT": "3", "DOCUMENTS_GUEST_MAX_TOTAL_BYTES": "100"]
        try await TestServer.run(settings) { server throws in
            let guest = try server.guest()
            for number in 1...2 {
                #expect(try server.document("PUT", "c/\(number)", Self.text(40), guest.idToken).status == 201)
            }
            let tooMuch = try server.document("PUT", "c/3", Self.text(40), guest.idToken)
            #expect(tooMuch.status == 403 && tooMuch.code == "DOCUMENT_QUOTA_EXCEEDED", "\(tooMuch.text)")
            #expect(try server.document("PUT", "c/3", "{}", guest.idToken).status == 201)
            let tooMany = try server.document("PUT", "c/4", "{}", guest.idToken)
            #expect(tooMany.status == 403 && tooMany.code == "TOO_MANY_DOCUMENTS", "\(tooMany.text)")
            let linked = try Tokens(
                server.redeem(
                    try server.askForLink("ann@example.com").oobCode,
                    "ann@example.com",
                    idToken: guest.idToken
                )
            )
            for number in 4...9 {
                #expect(try server.document("PUT", "c/\(number)", Self.text(40), linked.idToken).status == 201)
            }
        }
    }

    @Test func `a guest with more than the quota keeps it and adds nothing`() async throws {
        try await TestServer.run { server throws in
            let guest = try server.guest().idToken
            for number in 1...5 {
                #expect(try server.document("PUT", "c/\(number)", Self.text(100), guest).status == 201)
            }
            let settings = ["DOCUMENTS_GUEST_MAX_COUNT": "3", "DOCUMENTS_GUEST_MAX_TOTAL_BYTES": "200"]
            try server.restarted(settings) { server throws in
                #expect(try server.allDocuments(guest).count == 5)
                #expect(try server.document("PUT", "c/6", "{}", guest).code == "TOO_MANY_DOCUMENTS")
                #expect(try server.document("PUT", "c/1", Self.text(101), guest).code == "DOCUMENT_QUOTA_EXCEEDED")
                #expect(try server.document("PUT", "c/1", Self.text(100), guest).status == 200)
                #expect(try server.document("PUT", "c/1", "{}", guest).status == 200)
                #expect(try server.document("DELETE", "c/2", guest).status == 204)
            }
        }
    }

    @Test func `the guests of a network write so many bytes an hour`() async throws {
        try await TestServer.runInProduction(["LIMITS_GUEST_BYTES_PER_NETWORK": "1000"]) { server throws in
            server.clock.startHour()
            let (one, other) = (try server.guest().idToken, try server.guest(from: "127.0.0.9").idToken)
            let far = try server.guest(from: "127.0.1.1").idToken
            func put(_ bytes: Int, _ token: String, from source: String? = nil, _ method: String = "PUT") throws
                -> Answer
            {
                try server.send(
                    method,
                    "/v1/documents/c/1",
                    headers: ["Authorization: Bearer \(token)"],
                    body: Array(Self.text(bytes).utf8),
                    from: source
                )
            }
            #expect(try put(600, one).status == 201)
            // A merge patch stores the whole document again.
            #expect(try put(300, one, "PATCH").status == 200)
            let refused = try put(200, other, from: "127.0.0.9")
            #expect(refused.status == 429 && refused.code == "TOO_MANY_ATTEMPTS_TRY_LATER", "\(refused.text)")
            #expect((1...3601).contains(refused.header("retry-after").flatMap { Int($0) } ?? 0))
            #expect(try put(100, other, from: "127.0.0.9").status == 201, "the rest of it")
            #expect(try put(100, one).status == 429)
            #expect(try put(900, far, from: "127.0.1.1").status == 201, "another network")
            #expect(try put(900, server.signIn("ann@example.com").idToken).status == 201, "a permanent user")
            #expect(try server.document("DELETE", "c/1", one).status == 204)
            server.clock.advance(seconds: 3600)
            #expect(try put(1000, server.guest().idToken).status == 201, "an hour later")
        }
    }
}
