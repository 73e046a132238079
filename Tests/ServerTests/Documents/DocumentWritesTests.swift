import Foundation
import JSON
import Synchronization
import Testing

@Suite("Concurrent and batched document writes")
struct DocumentWritesTests {
    // MARK: Several in one call

    @Test func `several writes have one answer, in their order`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            _ = try server.document("PUT", "c/gone", "{}", ann)
            _ = try server.document("PUT", "c/old", #"{"a":1}"#, ann)
            let answer = try server.document(
                "PATCH",
                "",
                #"""
                {"writes": [
                    {"collection": "c", "id": "new", "set": {"z": 1.10, "a": null}, "ifNoneMatch": "*"},
                    {"collection": "c", "id": "gone", "delete": true, "ifMatch": "1"},
                    {"collection": "c", "id": "old", "patch": {"b": 2, "a": null}, "ifMatch": "*"},
                    {"collection": "d", "id": "none", "delete": true}
                ]}
                """#,
                ann
            )
            #expect(answer.status == 200)
            let expected =
                #"{"writes":[{"collection":"c","id":"new","version":"3"},{"collection":"c","id":"gone"},"#
                + #"{"collection":"c","id":"old","version":"5"},{"collection":"d","id":"none"}]}"#
            #expect(answer.text == expected)
            #expect(try server.document("GET", "c/new", ann).text == #"{"z":1.10,"a":null}"#)
            #expect(try server.document("GET", "c/old", ann).text == #"{"b":2}"#)
            #expect(try server.document("GET", "c/gone", ann).status == 404)
            #expect(try server.document("PATCH", "", #"{"writes":[]}"#, ann).text == #"{"writes":[]}"#)
        }
    }

    struct Case: Sendable {
        let write: String
        let code: String
        var status = 400

        init(_ write: String, _ code: String, status: Int = 400) {
            (self.write, self.code, self.status) = (write, code, status)
        }
    }

    static let refused = [
        Case("7", "INVALID_WRITES"), Case("{}", "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x"}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":{},"delete":true}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":[]}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","patch":null}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","delete":false}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":{},"ifmatch":"1"}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":{},"ifMatch":1}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":{},"ifMatch":"\"1\""}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"x","set":{},"ifNoneMatch":"1"}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c","id":"first","set":{}}"#, "INVALID_WRITES"),
        Case(#"{"collection":"c/d","id":"x","set":{}}"#, "INVALID_DOCUMENT_NAME"),
        Case(#"{"collection":"c","id":"..","set":{}}"#, "INVALID_DOCUMENT_NAME"),
        Case(#"{"collection":"c","id":"x","set":{"a":"\u0000"}}"#, "INVALID_DOCUMENT"),
        Case(#"{"collection":"c","id":"x","patch":{"a\u0000":1}}"#, "INVALID_DOCUMENT"),
        Case(
            #"{"collection":"c","id":"x","set":{"a":"\#(String(repeating: "x", count: 65_536))"}}"#,
            "DOCUMENT_TOO_LARGE",
            status: 413
        ),
        Case(
            #"{"collection":"c","id":"x","patch":{"a":"\#(String(repeating: "x", count: 65_536))"}}"#,
            "DOCUMENT_TOO_LARGE",
            status: 413
        ),
        Case(
            #"{"collection":"c","id":"x","set":{"a":\#(String(repeating: "[", count: 32))\#(String(repeating: "]", count: 32))}}"#,
            "DOCUMENT_TOO_DEEP"
        ),
        Case(#"{"collection":"c","id":"x","set":{},"ifMatch":"*"}"#, "PRECONDITION_FAILED", status: 412),
        Case(#"{"collection":"c","id":"old","delete":true,"ifNoneMatch":"*"}"#, "PRECONDITION_FAILED", status: 412),
    ]

    @Test func `one bad write spoils them all`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            _ = try server.document("PUT", "c/old", "{}", ann)
            for example in Self.refused {
                let writes = #"{"collection":"c","id":"first","set":{}},"# + example.write
                let answer = try server.document("PATCH", "", #"{"writes":[\#(writes)]}"#, ann)
                #expect(
                    answer.status == example.status && answer.code == example.code,
                    "\(example.write.prefix(80)): \(answer.text)"
                )
                #expect(try server.document("GET", "c/first", ann).status == 404)
            }
            for body in ["", "{}", "[]", #"{"writes":{}}"#, #"{"writes":null}"#, "{"] {
                #expect(try server.document("PATCH", "", body, ann).code == "INVALID_WRITES", "\(body)")
            }
            let deepest = "[" + String(repeating: "[", count: 30) + String(repeating: "]", count: 30) + "]"
            let deep = #"{"writes":[{"collection":"c","id":"deep","set":{"a":\#(deepest)}}]}"#
            #expect(try server.document("PATCH", "", deep, ann).status == 200)
            #expect(try server.document("GET", "c/old", ann).header("etag") == "\"1\"")
            #expect(try server.document("GET", "c/deep", ann).header("etag") == "\"2\"")
        }
    }

    @Test func `500 writes go in one call, 501 do not`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            func body(_ count: Int) -> String {
                let writes = (0..<count).map { #"{"collection":"c","id":"\#($0)","set":{"n":\#($0)}}"# }
                return #"{"writes":[\#(writes.joined(separator: ","))]}"#
            }
            #expect(try server.document("PATCH", "", body(501), ann).code == "TOO_MANY_WRITES")
            #expect(try server.document("GET", "", ann).text == #"{"documents":[]}"#)
            #expect(try server.document("PATCH", "", body(500), ann).json["writes"]?.array?.count == 500)
            #expect(try server.document("GET", "c/499", ann).header("etag") == "\"500\"")
        }
    }

    // MARK: Lists

    @Test func `patches of long documents are few in one call, since each is read and written whole`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let text = String(repeating: "x", count: 60_000)
            for id in 0..<18 { #expect(try server.document("PUT", "c/\(id)", #"{"a":"\#(text)"}"#, ann).status == 201) }
            func patch(_ count: Int) throws -> Answer {
                let writes = (0..<count).map { #"{"collection":"c","id":"\#($0)","patch":{}}"# }
                return try server.document("PATCH", "", #"{"writes":[\#(writes.joined(separator: ","))]}"#, ann)
            }
            #expect(try patch(17).status == 200)
            let refused = try patch(18)
            #expect(refused.status == 413 && refused.code == "DOCUMENT_TOO_LARGE", "\(refused.text)")
        }
    }

    @Test func `pages follow one another until the end, of all or of one collection`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let writes = (0..<150).map { #"{"collection":"c\#($0 % 2)","id":"\#(1000 + $0)","set":{"n":\#($0)}}"# }
            let written = try server.document("PATCH", "", #"{"writes":[\#(writes.joined(separator: ","))]}"#, ann)
            #expect(written.status == 200, "\(written.text)")
            for (query, count, sizes) in [
                ("", 150, [100, 50]), ("pageSize=75", 150, [75, 75]), ("pageSize=9999", 150, [150]),
                ("collection=c1", 75, [75]), ("collection=c1&pageSize=50", 75, [50, 25]), ("collection=c2", 0, [0]),
            ] {
                var seen: [String] = []
                var pages: [Int] = []
                var token = ""
                repeat {
                    let separator = query.isEmpty ? "" : "&"
                    let answer = try server.document("GET", "?pageToken=\(token)\(separator)\(query)", ann)
                    #expect(answer.status == 200 && answer.header("cache-control") == "no-store")
                    let documents = try #require(answer.json["documents"]?.array)
                    pages.append(documents.count)
                    try #require(pages.count < 10, "the pages have no end")
                    seen += documents.map { "\($0["collection"]?.string ?? "")/\($0["id"]?.string ?? "")" }
                    token = answer["nextPageToken"]
                    #expect(answer.keys.contains("nextPageToken") == !token.isEmpty)
                } while !token.isEmpty
                #expect(pages == sizes, "\(query)")
                #expect(seen.count == count && seen == seen.sorted())
            }
            let first = try #require(try server.document("GET", "", ann).json["documents"]?.array?.first)
            #expect(first.object?.members.map(\.name) == ["collection", "id", "version", "updatedAt", "document"])
            #expect(first["version"]?.string == "1" && first["document"] == ["n": 0])
            #expect(first["updatedAt"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test func `a page holds about a mebibyte at most`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let text = #"{"a":"\#(String(repeating: "x", count: 60_000))"}"#
            for index in 0..<20 { _ = try server.document("PUT", "c/\(index)", text, ann) }
            let answer = try server.document("GET", "?pageSize=1000", ann)
            #expect(answer.json["documents"]?.array?.count == 17)
            #expect(answer.body.count < 1 << 20)
            let rest = try server.document("GET", "?pageToken=\(answer["nextPageToken"])", ann)
            #expect(rest.json["documents"]?.array?.count == 3)
        }
    }

    @Test func `what is no page token or size is refused`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            for token in ["x", "====", "YQ", "YS9iL2M", "Ly8", "Li4vYQ", "Yy8", "_w"] {
                let answer = try server.document("GET", "?pageToken=\(token)", ann)
                #expect(answer.status == 400 && answer.code == "INVALID_PAGE_TOKEN", "\(token): \(answer.text)")
            }
            // A page token of another collection.
            #expect(try server.document("GET", "?collection=d&pageToken=Yy9h", ann).code == "INVALID_PAGE_TOKEN")
            #expect(try server.document("GET", "?collection=c&pageToken=Yy9h", ann).status == 200)
            for query in ["collection=%FF", "collection=%", "pageToken=%00", "a%ff=1"] {
                for call in ["/v1/documents", "/v1/documents:listen"] {
                    let answer = try server.send("GET", "\(call)?\(query)", headers: ["Authorization: Bearer \(ann)"])
                    #expect(answer.status == 400, "\(query)")
                }
            }
            for size in ["0", "-1", "x", "", "1.5", "99999999999999999999"] {
                #expect(try server.document("GET", "?pageSize=\(size)", ann).status == 400, "\(size)")
            }
        }
    }

    // MARK: Races

    @Test func `of 50 writers who know the same version exactly one wins each round`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            var version = try server.document("PUT", "c/1", #"{"wins":[]}"#, ann).header("etag") ?? ""
            for round in 0..<5 {
                let answers = try server.documentsAtOnce(
                    (0..<50).map { writer in
                        ("PATCH", "c/1", #"{"round":\#(round),"by":\#(writer)}"#, ["If-Match: \(version)"])
                    },
                    ann
                )
                let winners = answers.indices.filter { answers[$0].status == 200 }
                #expect(winners.count == 1)
                #expect(answers.count { $0.status == 412 && $0.code == "PRECONDITION_FAILED" } == 49)
                let now = try server.document("GET", "c/1", ann)
                #expect(now.json["by"]?.int64 == winners.first.map(Int64.init))
                version = now.header("etag") ?? ""
                #expect(version == "\"\(round + 2)\"")
            }
        }
    }

    @Test func `of 50 who create the same document exactly one does`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            let answers = try server.documentsAtOnce(
                (0..<50).map { ("PUT", "c/1", #"{"by":\#($0)}"#, ["If-None-Match: *"]) },
                ann
            )
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.status == 412 } == 49)
            let creator = answers.firstIndex { $0.status == 201 }
            #expect(try server.document("GET", "c/1", ann).json["by"]?.int64 == creator.map(Int64.init))
        }
    }

    @Test func `50 who add one and try again when another was quicker lose nothing`() async throws {
        try await TestServer.run { server in
            let ann = try server.guest().idToken
            _ = try server.document("PUT", "c/counter", #"{"n":0}"#, ann)
            let lost = Atomic(0)
            let done = DispatchGroup()
            for _ in 0..<50 {
                done.enter()
                Thread {
                    defer { done.leave() }
                    for _ in 0..<1000 {
                        guard let now = try? server.document("GET", "c/counter", ann),
                            let n = now.json["n"]?.int64, let version = now.header("etag"),
                            let answer = try? server.document(
                                "PATCH",
                                "c/counter",
                                #"{"n":\#(n + 1)}"#,
                                ann,
                                ["If-Match: \(version)"]
                            )
                        else { continue }
                        if answer.status == 200 { return }
                        lost.add(1, ordering: .relaxed)
                    }
                }
                .start()
            }
            done.wait()
            let counter = try server.document("GET", "c/counter", ann)
            #expect(counter.text == #"{"n":50}"#)
            #expect(counter.header("etag") == "\"51\"")
            #expect(lost.load(ordering: .relaxed) > 0, "nobody met anybody")
        }
    }
}

extension TestServer {
    /// Sends several calls on documents at once, each on a separate connection.
    func documentsAtOnce(
        _ calls: [(method: String, path: String, body: String, headers: [String])],
        _ idToken: String
    ) throws -> [Answer] {
        let connections = try calls.map { call in
            let bytes = Self.request(
                call.method,
                Self.documents(call.path),
                headers: ["Authorization: Bearer \(idToken)"] + call.headers,
                body: Array(call.body.utf8)
            )
            return (try HTTPConnection(port: port), bytes)
        }
        for (connection, bytes) in connections { try connection.send(bytes) }
        return try connections.map { try $0.0.answer() }
    }
}
