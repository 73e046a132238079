import Foundation
import JSON
import Testing

@Suite("Many listeners")
struct ListenLoadTests {
    @Test func `three hundred of them receive changes of their own documents and no others`() async throws {
        try await TestServer.run { server in
            let guests = try (0..<100).map { _ in try server.guest() }
            let streams = try (0..<300).map { try EventStream(server, guests[$0 % 100].idToken) }
            for stream in streams { try stream.ready() }
            for round in 1...2 {
                for (number, guest) in guests.enumerated() {
                    try server.set("own/d", guest.idToken, ["of": .string(guest.uid), "round": .string("\(round)")])
                    // Another write by another user, so that wake-ups mix.
                    if number % 7 == 0 { try server.set("x/y", guests[(number + 50) % 100].idToken) }
                }
            }
            for (number, stream) in streams.enumerated() {
                let guest = guests[number % 100]
                var seen: [Int64] = []
                var documents = 0
                while documents < 2 {
                    let event = try stream.change()
                    seen.append(try #require(event.id))
                    if event["collection"] == "own" {
                        documents += 1
                        if let document = event.data["document"] {
                            #expect(document["of"]?.string == guest.uid)
                        }
                    }
                }
                #expect(seen == Array(1...Int64(seen.count)), "\(number)")
            }
        }
    }

    @Test func `a client that does not read holds no memory, and misses nothing when it does`() async throws {
        try await TestServer.run(["DOCUMENTS_MAX_TOTAL_BYTES": "100000000"]) { server in
            let guests = try (0..<3).map { _ in try server.guest() }
            // Few clients read, so that memory that grows with the written data would be visible.
            let sleepers = try (0..<27).map {
                try EventStream(server, guests[$0 % 3].idToken, after: "0", receiveBuffer: 64 << 10)
            }
            let text = JSONValue.string(String(repeating: "x", count: 60_000))
            let before = try residentMegabytes()
            for guest in guests { try server.set(240, in: "large", guest.idToken, ["text": text], atOnce: 15) }
            // A client that does read shows that the server continues to serve.
            let reader = try EventStream(server, guests[0].idToken, after: "0")
            for number in 1...240 { #expect(try reader.change().id == Int64(number)) }
            Thread.sleep(forTimeInterval: 1)
            let grown = try residentMegabytes() - before
            #expect(grown < 120, "27 listeners of 14 MB each")
            for sleeper in sleepers.prefix(3) {
                for number in 1...240 { #expect(try sleeper.change().id == Int64(number)) }
            }
        }
    }

    private func residentMegabytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(status.split(separator: " ")[1]) ?? 0) * 4096 >> 20
    }
}
