import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing

@Suite("Listening to documents")
struct ListenTests {
    @Test func `says where it begins, and then each change in order`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.set("notes/a", guest.idToken, ["n": 1])
            let stream = try EventStream(server, guest.idToken)
            #expect(stream.head.status == 200)
            #expect(try stream.ready() == 1)
            try server.set("notes/a", guest.idToken, ["n": 2])
            let first = try stream.change()
            #expect(first.id == 2)
            #expect(first.data == ["collection": "notes", "id": "a", "version": "2", "document": ["n": 2]])
            _ = try server.documents("PATCH", "/todos/b", guest.idToken, ["x": "y\nz"])
            let second = try stream.change()
            #expect(second.id == 3)
            #expect(second.data == ["collection": "todos", "id": "b", "version": "3", "document": ["x": "y\nz"]])
            _ = try server.documents("DELETE", "/notes/a", guest.idToken)
            let third = try stream.change()
            #expect(third.id == 4)
            #expect(third.data == ["collection": "notes", "id": "a", "deleted": true])
            // Deleting a document that does not exist is not a change.
            _ = try server.documents("DELETE", "/notes/a", guest.idToken)
            #expect(stream.isSilent(for: 0.3))
        }
    }

    @Test func `answers with the headers of an event stream that no cache keeps and no proxy buffers`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken, headers: ["Origin: https://app.example.com"])
            #expect(stream.head.header("content-type") == "text/event-stream")
            #expect(stream.head.header("cache-control") == "no-store")
            #expect(stream.head.header("x-accel-buffering") == "no")
            #expect(stream.head.header("access-control-allow-origin") == "https://app.example.com")
            let preflight = try server.send(
                "OPTIONS",
                "/v1/documents:listen",
                headers: [
                    "Origin: https://app.example.com", "Access-Control-Request-Method: GET",
                    "Access-Control-Request-Headers: authorization, last-event-id",
                ]
            )
            #expect(preflight.status == 204)
            #expect(preflight.header("access-control-allow-headers")?.contains("last-event-id") == true)
            #expect(preflight.header("access-control-allow-methods")?.contains("GET") == true)
        }
    }

    @Test func `a change is told at once, without waiting for the round`() async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            try stream.ready()
            for number in 1...5 {
                try server.set("notes/a", guest.idToken)
                #expect(try stream.change().id == Int64(number))
            }
            try server.set(3, in: "many", guest.idToken)
            #expect(try (0..<3).map { _ in try stream.change().id } == [6, 7, 8])
        }
    }

    @Test func `a change that another process made is told in the next round`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            try stream.ready()
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    let number = try transaction.count(
                        DocumentChanges(count: 1, addedDocuments: 1, addedBytes: 2),
                        of: guest.uid
                    ).changeNumber
                    let name = DocumentName(storedCollection: "notes", id: "a")
                    let document = Document(name: name, content: "{}", version: number, updatedAt: transaction.now)
                    try transaction.put(document, of: guest.uid)
                }
                #expect(try stream.change().id == 1)
            }
        }
    }

    // MARK: Resuming

    @Test func `resumes after the last event, telling what became of each document`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            for document in ["a", "b", "a"] { try server.set("notes/\(document)", guest.idToken) }
            _ = try server.documents("DELETE", "/notes/b", guest.idToken)
            let stream = try EventStream(server, guest.idToken, after: "0")
            let expected: [JSONValue] = [
                ["collection": "notes", "id": "a", "superseded": true],
                ["collection": "notes", "id": "b", "deleted": true],
                ["collection": "notes", "id": "a", "version": "3", "document": [:]],
                ["collection": "notes", "id": "b", "deleted": true],
            ]
            for (number, data) in zip(1..., expected) {
                let event = try stream.change()
                #expect(event.id == Int64(number))
                #expect(event.data == data)
            }
            try server.set("notes/c", guest.idToken)
            #expect(try stream.change().id == 5)
            let last = try EventStream(server, guest.idToken, after: "5")
            #expect(last.isSilent(for: 0.3))
        }
    }

    @Test func `resumes from 1000 changes back, and from further back begins anew`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.set(1001, in: "notes", guest.idToken)
            let near = try EventStream(server, guest.idToken, after: "1")
            for number in 2...1001 { #expect(try near.change().id == Int64(number)) }
            let far = try EventStream(server, guest.idToken, after: "0")
            #expect(try far.ready("reset") == 1001)
            try server.set("notes/new", guest.idToken)
            #expect(try near.change().id == 1002)
            #expect(try far.change().id == 1002)
        }
    }

    @Test func `begins anew where a day has gone by, and resumes where nothing was missed`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            for _ in 0..<3 { try server.set("notes/a", guest.idToken) }
            server.clock.advance(seconds: 25 * 3600)
            try server.eventually("the purge") {
                var count = 1
                try server.elsewhere { store in
                    count = try store.database.readNow { transaction in
                        try transaction.changes(
                            after: [ChangePlace(uid: guest.uid, number: 0)],
                            limit: 9,
                            enoughBytes: 1000
                        )[0]?.count ?? 0
                    }
                }
                return count == 0
            }
            let token = try server.refresh(guest.refreshToken)["id_token"]
            let behind = try EventStream(server, token, after: "1")
            #expect(try behind.ready("reset") == 3)
            let abreast = try EventStream(server, token, after: "3")
            #expect(abreast.isSilent(for: 0.3))
            try server.set("notes/a", token)
            #expect(try behind.change().id == 4)
            #expect(try abreast.change().id == 4)
        }
    }

    @Test func `a gap in the changes is never passed over`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            for _ in 0..<5 { try server.set("notes/a", guest.idToken) }
            try server.elsewhere { store in
                _ = try store.database.writeNow { try $0.execute("DELETE FROM changes WHERE number = 3") }
            }
            let stream = try EventStream(server, guest.idToken, after: "1")
            #expect(try stream.change().id == 2)
            #expect(try stream.ready("reset") == 5)
        }
    }

    @Test func `begins anew for a number that is not there yet`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            try server.set("notes/a", guest.idToken)
            #expect(try EventStream(server, guest.idToken, after: "2").ready("reset") == 1)
            #expect(try EventStream(server, guest.idToken, after: "\(Int64.max)").ready("reset") == 1)
        }
    }

    // MARK: Filtering

    @Test func `tells of one collection where asked to`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken, query: "?collection=notes")
            try stream.ready()
            for path in ["todos/a", "notes/a", "notes.b/a", "todos/b", "notes/b"] {
                try server.set(path, guest.idToken)
            }
            #expect(try (0..<2).map { _ in try stream.change().id } == [2, 5])
            #expect(stream.isSilent(for: 0.3))
            let later = try EventStream(server, guest.idToken, after: "2", query: "?collection=notes")
            #expect(try later.change().id == 5)
        }
    }

    // MARK: Refusals

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var query = ""
        var headers: [String] = []
        let status: Int
        let code: String
    }

    static let refused = [
        Refused(
            testDescription: "a word as number",
            headers: ["Last-Event-ID: x"],
            status: 400,
            code: "INVALID_EVENT_ID"
        ),
        Refused(
            testDescription: "a negative number",
            headers: ["Last-Event-ID: -1"],
            status: 400,
            code: "INVALID_EVENT_ID"
        ),
        Refused(testDescription: "a fraction", headers: ["Last-Event-ID: 1.5"], status: 400, code: "INVALID_EVENT_ID"),
        Refused(testDescription: "a sign", headers: ["Last-Event-ID: +1"], status: 400, code: "INVALID_EVENT_ID"),
        Refused(
            testDescription: "a number of 20 digits",
            headers: ["Last-Event-ID: 99999999999999999999"],
            status: 400,
            code: "INVALID_EVENT_ID"
        ),
        Refused(testDescription: "no collection", query: "?collection=", status: 400, code: "INVALID_DOCUMENT_NAME"),
        Refused(testDescription: "a path", query: "?collection=a%2Fb", status: 400, code: "INVALID_DOCUMENT_NAME"),
    ]

    @Test(arguments: refused)
    func `refuses what makes no sense`(_ example: Refused) async throws {
        try await TestServer.run { server in
            let token = try server.guest().idToken
            let answer = try server.send(
                "GET",
                "/v1/documents:listen\(example.query)",
                headers: ["Authorization: Bearer \(token)"] + example.headers
            )
            #expect(answer.status == example.status)
            #expect(answer.code == example.code)
        }
    }

    @Test func `refuses every caller without a valid ID token`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            func code(_ headers: [String], _ query: String = "") throws -> String {
                try server.send("GET", "/v1/documents:listen\(query)", headers: headers).code
            }
            #expect(try code([]) == "MISSING_ID_TOKEN")
            #expect(try code([], "?access_token=\(guest.idToken)&key=k&idToken=\(guest.idToken)") == "MISSING_ID_TOKEN")
            #expect(try code(["Authorization: Bearer x.y.z"]) == "INVALID_ID_TOKEN")
            #expect(try code(["Authorization: Bearer \(guest.refreshToken)"]) == "INVALID_ID_TOKEN")
            #expect(try code(["Authorization: Basic \(guest.idToken)"]) == "MISSING_ID_TOKEN")
            let other = try server.guest()
            _ = try server.call("accounts:delete", ["idToken": .string(other.idToken)])
            #expect(try code(["Authorization: Bearer \(other.idToken)"]) == "USER_NOT_FOUND")
            server.clock.advance(seconds: 3601)
            #expect(try code(["Authorization: Bearer \(guest.idToken)"]) == "TOKEN_EXPIRED")
        }
    }

    // MARK: Stream quotas

    @Test func `a user has ten streams at most, and the eleventh once one is over`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let other = try server.guest()
            // HEAD requests do not count.
            for _ in 0..<12 {
                let headers = ["Authorization: Bearer \(guest.idToken)"]
                #expect(try server.send("HEAD", "/v1/documents:listen", headers: headers).status == 200)
            }
            var streams = try (0..<10).map { _ in try EventStream(server, guest.idToken) }
            for stream in streams { try stream.ready() }
            let refused = try EventStream(server, guest.idToken).head
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_STREAMS")
            try EventStream(server, other.idToken).ready()
            streams.removeLast()
            try server.eventually("a place") { try EventStream(server, guest.idToken).head.status == 200 }
        }
    }

    @Test func `in production a guest has three streams, and a signed-in user ten`() async throws {
        try await TestServer.runInProduction { server in
            let guest = try server.guest()
            let streams = try (0..<3).map { _ in try EventStream(server, guest.idToken) }
            for stream in streams { try stream.ready() }
            let refused = try EventStream(server, guest.idToken).head
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_STREAMS")
            let user = try server.signIn("ann@example.com")
            let others = try (0..<10).map { _ in try EventStream(server, user.idToken) }
            for stream in others { try stream.ready() }
            #expect(try EventStream(server, user.idToken).head.code == "TOO_MANY_STREAMS")
        }
    }

    /// Otherwise 8,000 streams from five addresses behind a proxy would block all other clients.
    @Test func `a client behind a proxy has so many streams, and others have theirs`() async throws {
        let settings = [
            "TRUSTED_PROXIES": "127.0.0.1/32", "LIMITS_STREAMS_PER_CLIENT": "4",
            "LIMITS_NETWORKS_IPV6_PREFIX48": "2", "LIMITS_NETWORKS_IPV6_PREFIX56": "2",
        ]
        try await TestServer.runInProduction(settings) { server in
            let guests = try (0..<8).map { _ in try server.guest() }
            func stream(_ number: Int, _ client: String) throws -> EventStream {
                try EventStream(server, guests[number % 8].idToken, headers: ["X-Forwarded-For: \(client)"])
            }
            var held = try (0..<4).map { try stream($0, "2001:db8:1:1::\($0)") }
            for stream in held { try stream.ready() }
            let refused = try stream(4, "2001:db8:1:1::9").head
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_STREAMS")
            #expect(refused.header("retry-after") == "30")
            // Another client of the same /48, which has twice the quota.
            held += try (4..<8).map { try stream($0, "2001:db8:1:ff01::\($0)") }
            #expect(held.suffix(4).allSatisfy { $0.head.status == 200 })
            #expect(try stream(0, "2001:db8:1:ee01::1").head.code == "TOO_MANY_STREAMS")
            try stream(0, "2001:db8:2::1").ready()
            // Requests of which only the proxy is known count for no client.
            let direct = try (0..<5).map { try EventStream(server, guests[$0].idToken) }
            for stream in direct { #expect(stream.head.status == 200) }
            held = []
            try server.eventually("a place") { try stream(1, "2001:db8:1:1::9").head.status == 200 }
        }
    }

    @Test func `all users together have as many streams as the operator allows`() async throws {
        try await TestServer.run(["LISTENERS": "2"]) { server in
            let guests = try (0..<3).map { _ in try server.guest() }
            var streams = try guests.prefix(2).map { try EventStream(server, $0.idToken) }
            for stream in streams { try stream.ready() }
            let refused = try EventStream(server, guests[2].idToken).head
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_STREAMS")
            #expect(refused.header("retry-after") != nil)
            streams = []
            try server.eventually("a place") { try EventStream(server, guests[2].idToken).head.status == 200 }
        }
    }

    // MARK: Heartbeats and ends

    @Test func `sends a comment where there is nothing to say`() async throws {
        try await TestServer.run(pace: .every(.milliseconds(50), heartbeat: .milliseconds(500))) { server in
            let guest = try server.guest()
            let start = ContinuousClock.now
            let stream = try EventStream(server, guest.idToken)
            try stream.ready()
            #expect(stream.onlyHeartbeats(3))
            #expect(stream.heartbeats <= Int((ContinuousClock.now - start) / .milliseconds(500)) + 1)
            try server.set("notes/a", guest.idToken)
            #expect(try stream.change().id == 1)
        }
    }

    @Test func `a server that stops says so`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let streams = try (0..<5).map { _ in try EventStream(server, guest.idToken) }
            for stream in streams { try stream.ready() }
            let stopping = Thread { server.stop() }
            stopping.start()
            for stream in streams { #expect(try stream.end()["reason"] == "server.stopping") }
        }
    }
}

extension Changes.Pace {
    /// Makes a pace with rounds of a given length.
    static func every(_ round: Duration, heartbeat: Duration = .seconds(600)) -> Changes.Pace {
        var pace = Changes.Pace()
        pace.round = round
        pace.heartbeat = heartbeat
        return pace
    }
}
