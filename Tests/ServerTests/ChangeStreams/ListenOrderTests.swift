import Foundation
import JSON
import Synchronization
import Testing

@Suite("Listening under concurrent writes")
struct ListenOrderTests {
    private static let rounds = ProcessInfo.processInfo.environment["DEPTH"] == "full" ? 50 : 3
    private static let writers = 50
    private static let writesEach = 12

    @Test(arguments: 0..<rounds)
    func `fifty writers and a listener that reconnects at random: no gap, no repeat`(_ round: Int) async throws {
        try await TestServer.run { try Self.check([$0]) }
    }

    @Test(arguments: 0..<rounds)
    func `fifty writers on three nodes and a listener that goes from one to another: no gap, no repeat`(
        _ round: Int
    ) async throws {
        try await TestServer.runNodes(3) { try Self.check($0) }
    }

    private static func check(_ nodes: [TestServer]) throws {
        let guest = try nodes[0].guest()
        let isDone = Atomic(false)
        let writing = DispatchGroup()
        for writer in 0..<Self.writers {
            writing.enter()
            Thread.detachNewThread {
                defer { writing.leave() }
                do { try Self.write(nodes, guest.idToken, writer) } catch { Issue.record(error) }
            }
        }
        writing.notify(queue: .global()) { isDone.store(true, ordering: .releasing) }
        let steady = try nodes.map { try EventStream($0, guest.idToken, after: "0") }
        let changes = try Self.follow(nodes, guest.idToken) { isDone.load(ordering: .acquiring) }
        let last = try Self.lastChange(nodes[0], guest.idToken)
        #expect(last >= Int64(Self.writers * Self.writesEach * 2 / 3))
        #expect(changes.count == Int(last))
        for (number, change) in zip(1..., changes) { try #require(change.id == Int64(number)) }
        for stream in steady {
            for number in 1...last { try #require(stream.change().id == number) }
        }
        try Self.compare(changes, nodes[0], guest.idToken)
    }

    /// Sets, patches and deletes, on one connection to each node.
    private static func write(_ nodes: [TestServer], _ token: String, _ writer: Int) throws {
        let connections = try nodes.map { try HTTPConnection(port: $0.port) }
        let headers = ["Authorization: Bearer \(token)", "Content-Type: application/json"]
        for step in 0..<writesEach {
            let path = "/v1/documents/c\(step % 2)/d\(Int.random(in: 0..<20))"
            let method = ["PUT", "PATCH", "DELETE"][(writer + step) % 3]
            let body = method == "DELETE" ? [] : Array(#"{"by":\#(writer),"step":\#(step)}"#.utf8)
            let connection = connections[(writer + step) % nodes.count]
            var status: Int
            repeat {
                try connection.send(TestServer.request(method, path, headers: headers, body: body))
                let answer = try connection.answer()
                status = answer.status
                #expect([200, 201, 204].contains(status) || nodes.count > 1 && status == 503, "\(answer.text)")
                // Too many concurrent writes for the same user; nothing has happened.
            } while status == 503
        }
    }

    /// Returns the number of the user's last change, once the server has room for another stream.
    private static func lastChange(_ server: TestServer, _ token: String) throws -> Int64 {
        var last: Int64 = 0
        try server.eventually("room for a stream") {
            let stream = try EventStream(server, token)
            guard stream.head.status == 200 else { return false }
            last = try stream.ready()
            return true
        }
        return last
    }

    /// Reads while others write, a few events or a moment at a time, over four connections at least.
    private static func follow(
        _ nodes: [TestServer],
        _ token: String,
        until isDone: () -> Bool
    ) throws -> [EventStream.Event] {
        var changes: [EventStream.Event] = []
        var connections = 0
        while true {
            let last: Int64? = try isDone() && connections >= 3 ? lastChange(nodes[0], token) : nil
            guard let node = nodes.randomElement() else { return changes }
            let stream = try EventStream(node, token, after: String(changes.last?.id ?? 0))
            guard stream.head.status == 200 else {
                // The server does not notice abandoned streams at once.
                #expect(stream.head.code == "TOO_MANY_STREAMS")
                usleep(10_000)
                continue
            }
            connections += 1
            if let last {
                while changes.last?.id ?? 0 < last { changes.append(try stream.change()) }
                #expect(stream.isSilent(for: 1))
                return changes
            }
            do {
                for _ in 0..<Int.random(in: 0...25) {
                    changes.append(try stream.change(within: Double.random(in: 0.001...0.05)))
                }
            } catch is EventStream.Silence {}
        }
    }

    /// Checks that following the stream yields what is stored.
    private static func compare(_ changes: [EventStream.Event], _ server: TestServer, _ token: String) throws {
        var followed: [String: JSONValue] = [:]
        for change in changes {
            let name = "\(change["collection"])/\(change["id"])"
            if change.data["deleted"] == true { followed[name] = nil }
            guard let document = change.data["document"] else { continue }
            #expect(change["version"] == change.id.map(String.init))
            followed[name] = document
        }
        let list = try server.documents("GET", "?pageSize=1000", token).json["documents"]?.array ?? []
        let stored = list.map { entry in
            ("\(entry["collection"]?.string ?? "")/\(entry["id"]?.string ?? "")", entry["document"] ?? .null)
        }
        let isSame = followed == Dictionary(stored) { first, _ in first }
        #expect(isSame)
    }
}
