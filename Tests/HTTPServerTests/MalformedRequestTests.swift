import HTTPServer
import Testing

@Suite("A malformed request") struct MalformedRequestTests {
    @Test(arguments: [
        Case("no Host", "GET /hello HTTP/1.1\r\n\r\n"),
        Case("two Hosts", "GET /hello HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Case("an empty Host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n"),
        Case("a Host with a space", "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n"),
        Case("a Host with a user", "GET /hello HTTP/1.1\r\nHost: a@b\r\n\r\n"),
        Case("a Host with a path", "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Case("a long Host", "GET /hello HTTP/1.1\r\nHost: \(String(repeating: "a", count: 300))\r\n\r\n"),
        Case("no Host in HTTP 1.0", "GET /hello HTTP/1.0\r\n\r\n"),
        Case("two lengths", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
        Case(
            "two different lengths",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"
        ),
        Case(
            "length and coding",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Case(
            "coding and length",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"
        ),
        Case("another coding", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        Case("two codings", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Case(
            "chunked twice",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Case("a space before a colon", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\nok"),
        Case("a bad field name", "GET /hello HTTP/1.1\r\nHost: a\r\nX(y): 1\r\n\r\n"),
        Case("a negative length", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        Case("a length with a sign", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nok"),
        Case("a length in hexadecimal", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\nok"),
        Case("a raw byte in the target", "GET /h\u{e4} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a relative target", "GET hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("another scheme", "GET ftp://a/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a user in the target", "GET http://a@b/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a fragment", "GET /hello#x HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a space before the first field", "GET /hello HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n"),
        Case("a broken chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    ])
    func `a malformed request is refused and ends the connection`(each: Case) async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try client.send(each.bytes)
            #expect(try client.reply().status == 400)
            // The library sends the head of its own refusals twice; nothing else may follow.
            #expect(!String(decoding: try client.rest(), as: UTF8.self).contains("HTTP/1.1 2"))
            #expect(try test.connect().request("GET", "/hello").status == 200)
        }
    }

    @Test(arguments: [
        Case("nothing like HTTP", "\u{16}\u{3}\u{1}\r\n\r\n"), Case("one word", "GET\r\n\r\n"),
        Case("HTTP 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Case("a space in the target", "GET /hel lo HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a request hidden in the target", "GET / HTTP/1.1 GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a field without a colon", "GET /hello HTTP/1.1\r\nHost\r\n\r\n"),
        Case("HTTP 0.9", "GET /hello\r\n\r\n"), Case("only line ends", "\r\n\r\n\r\n\r\n"), Case("nothing", ""),
    ])
    func `a malformed request that cannot be parsed ends its connection only`(each: Case) async throws {
        try await TestServer.run(configure: { $0.requestDeadline = .seconds(5) }) { test throws in
            let client = try test.connect()
            try client.send(each.bytes)
            client.closeWriting()
            let answer = String(decoding: try client.rest(), as: UTF8.self)
            #expect(!answer.contains("hello") && !answer.hasPrefix("HTTP/1.1 2"))
            #expect(try test.connect().request("GET", "/hello").status == 200)
        }
    }

    @Test func `an error of the Host field is reported as JSON`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try client.send("GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n")
            #expect(try client.reply().text == #"{"error":"MALFORMED_REQUEST"}"#)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        init(_ name: String, _ text: String) {
            self.name = name
            bytes = Array(text.utf8)
        }

        var testDescription: String { name }
    }
}
