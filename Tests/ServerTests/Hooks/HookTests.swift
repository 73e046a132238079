import Foundation
import JSON
import Server
import Testing

@Suite("Hooks")
struct HookTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// Returns the configuration of hooks at these receivers, each with its events.
    static func file(_ hooks: [(receiver: HookReceiver, events: [String])], more: String = "") -> String {
        let texts = hooks.enumerated().map { index, hook in
            let events = hook.events.map { "'\($0)'" }.joined(separator: ", ")
            return "{ name: 'hook\(index)', url: '\(hook.receiver.url)', secret: '\(secret)', events: [\(events)] }"
        }
        return "{ hooks: [\(texts.joined(separator: ", "))], \(more) }"
    }

    /// Runs a server with hooks at separate receivers.
    static func run(
        _ events: [String]...,
        more: String = "",
        adjust: @escaping TestServer.Adjustment = { _ in },
        _ body: @escaping @Sendable (TestServer, [HookReceiver]) throws -> Void
    ) async throws {
        let receivers = try events.map { _ in try HookReceiver() }
        defer { for receiver in receivers { receiver.stop() } }
        let file = file(Array(zip(receivers, events)).map { (receiver: $0, events: $1) }, more: more)
        try await TestServer.run(file: file, adjust: adjust) { server in try body(server, receivers) }
    }

    @Test func `hooks are notified of what happens to users, each of its own events, without addresses`() async throws {
        let all = ["user.created", "user.linked", "user.deleted"]
        try await Self.run(all, ["user.deleted"]) { server, receivers in
            let guest = try server.guest()
            let linked = try server.redeem(
                try server.askForLink("ann@example.com").oobCode,
                "ann@example.com",
                idToken: guest.idToken
            )
            #expect(linked.status == 200)
            let other = try server.guest()
            #expect(try server.call("accounts:signOut", ["refreshToken": .string(other.refreshToken)]).status == 200)
            let bob = try server.signIn("bob@example.com")
            #expect(try server.call("accounts:delete", ["idToken": .string(bob.idToken)]).status == 200)
            try server.eventually("all is told") {
                receivers[0].messages.count == 6 && receivers[1].messages.count == 2
            }
            // Compared without order, because messages that are sent at the same time may overtake one another.
            func told(_ event: String) -> [String] { receivers[0].messages(event).map { $0["uid"] }.sorted() }
            #expect(told("user.created") == [guest.uid, other.uid, bob.uid].sorted())
            #expect(told("user.linked") == [guest.uid])
            #expect(told("user.deleted") == [other.uid, bob.uid].sorted())
            #expect(receivers[1].messages.map { $0["uid"] }.sorted() == [other.uid, bob.uid].sorted())
            for message in receivers[0].messages {
                #expect(message.json.object?.count == 3 && message.json["data"]?.object?.count == 2)
                let isGuest = message.event != "user.linked" && message["uid"] != bob.uid
                #expect(message.json["data"]?["isAnonymous"] == .bool(isGuest), "\(message.event)")
                #expect(!String(decoding: message.body, as: UTF8.self).contains("@"))
            }
            #expect(Set(receivers.flatMap(\.messages).map(\.id)).count == 8)
            #expect(!server.log.contains(Self.secret))
        }
    }

    @Test func `get a message again with the same id until they take it, however long that is`() async throws {
        try await Self.run(["user.created"]) { server, receivers in
            let receiver = receivers[0]
            receiver.behave(.refuse(status: 500, body: ""))
            let guest = try server.guest()
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            // An hour of 500s; the next attempt is due once the last one is recorded.
            for attempt in 1...4 {
                try server.eventually("attempt \(attempt)") {
                    try desk.hookMessages(state: "waiting", limit: 9).items.first?.attempts == Int64(attempt)
                }
                if attempt == 4 { receiver.behave(.accept()) }
                server.clock.advance(seconds: 900)
            }
            try server.eventually("delivery") { try desk.hookMessages(state: "delivered", limit: 9).items.count == 1 }
            #expect(Set(receiver.messages.map(\.id)).count == 1)
            #expect(Set(receiver.messages.map(\.timestamp)).count == receiver.messages.count)
            #expect(receiver.messages.allSatisfy { $0["uid"] == guest.uid })
            let report = try #require(try desk.hookMessages(state: nil, limit: 9).items.first)
            #expect(report.attempts == 5 && report.state == "delivered" && report.id == receiver.messages[0].id)
        }
    }

    @Test func `messages are listed in pages, and an unknown page is refused`() async throws {
        try await Self.run(["user.created"]) { server, receivers in
            for _ in 0..<3 { _ = try server.guest() }
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try server.eventually("delivery") { try desk.hookMessages(state: "delivered", limit: 9).items.count == 3 }
            let all = try desk.hookMessages(state: nil, limit: 3)
            #expect(all.nextPage == nil)
            let first = try desk.hookMessages(state: nil, limit: 2)
            #expect(first.items.map(\.id) == all.items.prefix(2).map(\.id) && first.nextPage == all.items[1].id)
            // A page goes on where it ended, whatever its state.
            #expect(try desk.hookMessages(state: "failed", page: first.nextPage, limit: 2).items.isEmpty)
            let second = try desk.hookMessages(state: nil, page: first.nextPage, limit: 2)
            #expect(second.items.map(\.id) == [all.items[2].id] && second.nextPage == nil)
            for unknown in ["", "x", "1", "msg_nobody", "' OR 1"] {
                #expect(throws: Operator.Failure.self) {
                    try desk.hookMessages(state: nil, page: unknown, limit: 2)
                }
            }
        }
    }

    @Test func `hooks are notified of a guest that clean-up removes`() async throws {
        try await Self.run(["user.deleted"]) { server, receivers in
            let on = try server.send(
                "PATCH",
                "/v1/projects/demo-latchkey/cleanup",
                headers: ["Authorization: Bearer owner"],
                body: Array(#"{"enabled":true}"#.utf8)
            )
            #expect(on.status == 200)
            let guest = try server.guest()
            server.clock.advance(seconds: 31 * 86_400)
            try server.eventually("the hook hears of it") {
                receivers[0].messages("user.deleted").map { $0["uid"] } == [guest.uid]
            }
        }
    }

    @Test func `hooks are given up after three days, until an operator tries again`() async throws {
        try await Self.run(["user.created"]) { server, receivers in
            server.clock.freeze()
            let receiver = receivers[0]
            receiver.behave(.redirect(to: "http://127.0.0.1:\(receiver.port)/hook"))
            _ = try server.guest()
            try server.eventually("the first attempt") { receiver.messages.count == 1 }
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try server.eventually("its failure is known") {
                try desk.hookMessages(state: "waiting", limit: 9).items.first?.reason == "status 307"
            }
            server.clock.advance(seconds: 3 * 86_400)
            try server.eventually("it is given up") {
                try desk.hookMessages(state: "failed", limit: 9).items.count == 1
            }
            #expect(receiver.messages.count == 2, "a redirect is not followed")
            receiver.behave(.accept())
            let id = receiver.messages[0].id
            #expect(throws: Operator.Failure.self) { try desk.retryHookMessage("msg_nobody") }
            try desk.retryHookMessage(id)
            try server.eventually("delivery") { try desk.hookMessages(state: "delivered", limit: 9).items.count == 1 }
            #expect(receiver.messages.last?.id == id)
        }
    }

    @Test func `a hook that hangs delays no other hook`() async throws {
        try await Self.run(["user.created"], ["user.created"]) { server, receivers in
            receivers[0].behave(.hang)
            let start = ContinuousClock.now
            let uids = try (0..<20).map { _ in try server.guest().uid }
            try server.eventually("the other hears of all") {
                Set(receivers[1].messages.map { $0["uid"] }) == Set(uids)
            }
            // After 15 seconds they have failed, and others may be sent.
            let (count, time) = (receivers[0].messages.count, ContinuousClock.now - start)
            #expect(count <= 8 * (1 + Int(time / .seconds(15))), "eight at once, and no more")
            receivers[0].behave(.accept())
            try server.eventually("the first too") { Set(receivers[0].messages.map { $0["uid"] }) == Set(uids) }
        }
    }

    @Test func `in production are reached at public addresses only, whatever their names say`() async throws {
        let receiver = try HookReceiver()
        defer { receiver.stop() }
        let file = """
            { hooks: [{ name: 'inner', url: 'https://localhost:\(receiver.port)/hook', secret: '\(Self.secret)',
                events: ['user.created'] }] }
            """
        try await TestServer.runInProduction(file: file) { server in
            _ = try server.guest()
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            try server.eventually("it is refused") {
                try desk.hookMessages(state: "waiting", limit: 9).items.first?.reason?.contains(
                    "an address that is not allowed"
                )
                    == true
            }
        }
        #expect(receiver.messages.isEmpty)
    }
}
