import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Waiting for an approval through many nodes", .enabled(if: TestDatabase.isEnginesTurn))
struct TicketWaitNodesTests {
    @Test func `an approval through another node answers at once`() async throws {
        try await TestServer.runNodes(2, pace: .every(.seconds(600))) { nodes in
            try ListenNodesTests.untilHeard(nodes)
            var times: [Duration] = []
            for number in 0..<5 {
                let (answer, time) = try Self.wait("ann\(number)@example.com", nodes)
                #expect(answer.status == 200 && !answer["idToken"].isEmpty, "\(answer.text)")
                times.append(time)
            }
            // The round would take 600 seconds, and the wait ends after 20.
            #expect(times.allSatisfy { $0 < .seconds(15) }, "\(times)")
        }
    }

    @Test func `without notifications between nodes the next round answers`() async throws {
        try await TestServer.runNodes(2, TestServer.withoutNotifications) { nodes in
            let (answer, time) = try Self.wait("ann@example.com", nodes)
            #expect(answer.status == 200 && !answer["idToken"].isEmpty, "\(answer.text)")
            // Without the round it would be the end of the wait, after 20 seconds.
            #expect(time < .seconds(15), "\(time)")
        }
    }

    @Test func `two nodes that hold calls of one ticket sign in once`() async throws {
        try await TestServer.runNodes(2, pace: .every(.seconds(600))) { nodes in
            try ListenNodesTests.untilHeard(nodes)
            let asked = try TestServer.askForLink("ann@example.com", nodes)
            let held = try nodes.map { try HeldTicket($0, asked.ticket) }
            try nodes[0].untilHeld(asked)
            _ = try nodes[0].answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            let answers = try held.map { try $0.answer() }
            #expect(answers.contains { $0.status == 200 })
            #expect(Set(answers.map { $0["refreshToken"] }).count == 1, "\(answers.map(\.text))")
            #expect(try nodes[0].psql("SELECT count(*) FROM sessions").trimmingCharacters(in: .newlines) == "1")
        }
    }

    /// Waits through the first node, approves through the second, and returns the answer with the time from the call.
    private static func wait(_ email: String, _ nodes: [TestServer]) throws -> (Answer, Duration) {
        let asked = try TestServer.askForLink(email, nodes)
        let held = try HeldTicket(nodes[0], asked.ticket)
        try nodes[0].untilHeld(asked)
        let approved = try nodes[1].answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
        #expect(approved.status == 200, "\(approved.text)")
        return try held.timedAnswer()
    }
}
