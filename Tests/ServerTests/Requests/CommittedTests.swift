import Database
import Foundation
import JSON
import Server
import Testing

/// What a committed transaction causes does not depend on the client or the server's end.
@Suite("Effects of committed transactions")
struct CommittedTests {
    /// Never reads or polls by itself, so that only a notification starts the work.
    private static let never = Duration.seconds(3600)

    /// Makes a call, and hangs up while the database holds its statement.
    private static func hangUp(
        _ server: TestServer,
        _ path: String,
        _ body: JSONValue = [:],
        method: String = "POST",
        headers: [String] = [],
        during statement: String
    ) throws {
        let hold = server.faults.hold(statement)
        defer { hold.release() }
        do {
            let connection = try HTTPConnection(port: server.port)
            let headers = headers + ["Content-Type: application/json"]
            try connection.send(TestServer.request(method, path, headers: headers, body: body.serialized()))
            try server.eventually("the call waits for the database") { hold.isReached }
            connection.reset()
        }
        usleep(20_000)
    }

    private static func lines(_ server: TestServer, _ event: String) throws -> [JSONValue] {
        try server.log.all.map { try JSONValue.parse($0) }.filter { $0["event"]?.string == event }
    }

    @Test func `wrong codes of a client that hangs up are counted`() async throws {
        try await TestServer.run { server in
            server.clock.startHour()
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            let wrong: JSONValue = ["ticket": .string(asked.ticket), "code": .string(asked.wrongCode)]
            for count: Int64 in 1...3 {
                let path = "/v1/accounts:signInWithTicket?key=k"
                try Self.hangUp(server, path, wrong, during: "UPDATE tickets SET state")
                try server.eventually("the wrong code is counted") {
                    try server.withDatabase { try $0.first("SELECT wrong_codes FROM tickets") { try $0.integer(0) } }
                        == count
                }
            }
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 400)
            server.stop()
            #expect(try Self.lines(server, "failure").map { $0["kind"]?.string } == ["wrong-code"])
            let sums = try Self.lines(server, "failures").filter { $0["kind"]?.string == "wrong-code" }
            #expect(sums.map { $0["count"]?.int64 } == [3], "\(sums)")
        }
    }

    @Test func `a sign-up of a client that hangs up is in the log`() async throws {
        try await TestServer.run { server in
            try Self.hangUp(server, "/v1/accounts:signUp?key=k", during: "INSERT INTO users")
            try server.eventually("the log says so") { try Self.lines(server, "user.created").count == 1 }
        }
    }

    @Test func `an e-mail for a client that hangs up is sent at once`() async throws {
        try await TestServer.run(adjust: { $0.mailPoll = Self.never }) { server in
            let body: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            try Self.hangUp(server, "/v1/accounts:sendOobCode?key=k", body, during: "INSERT INTO outbox")
            #expect(try server.message(after: 0).to == "ann@example.com")
        }
    }

    @Test func `a stream reports the document of a client that hangs up`() async throws {
        var pace = Changes.Pace()
        pace.round = Self.never
        try await TestServer.run(pace: pace) { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            _ = try stream.ready()
            try Self.hangUp(
                server,
                "/v1/documents/notes/a",
                method: "PUT",
                headers: ["Authorization: Bearer \(guest.idToken)"],
                during: "INSERT INTO documents"
            )
            #expect(try stream.change().id == 1)
        }
    }

    @Test func `a merge of a client that hangs up while hooks are asked is in the log`() async throws {
        try await HookTests.run(["merge.prepare"]) { server, receivers in
            let pair = try MergeHookTests.Pair(server)
            receivers[0].behave(.hang, to: "merge.prepare")
            do {
                let connection = try HTTPConnection(port: server.port)
                let body = pair.members().serialized()
                try connection.send(
                    TestServer.request("POST", "/v1/accounts:merge?key=k", headers: [], body: body)
                )
                try server.eventually("the hook is asked") { receivers[0].messages("merge.prepare").count == 1 }
                connection.reset()
            }
            receivers[0].behave(.accept(), to: "merge.prepare")
            try server.eventually("the log says so") { try Self.lines(server, "user.merged").count == 1 }
            try server.eventually("the hook hears of it") { receivers[0].messages("merge.commit").count == 1 }
        }
    }

    @Test func `a stop writes what waiting calls have committed into the log`() async throws {
        try await TestServer.run { server in
            let hold = server.faults.hold("INSERT INTO users")
            defer { hold.release() }
            let connection = try HTTPConnection(port: server.port)
            try connection.send(TestServer.request("POST", "/v1/accounts:signUp?key=k", headers: [], body: []))
            try server.eventually("the call waits for the database") { hold.isReached }
            let stopped = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                server.stop()
                stopped.signal()
            }
            // The server gives up waiting for the call, but not its transaction.
            #expect(try connection.answer().status == 503)
            #expect(try Self.lines(server, "user.created").isEmpty)
            hold.release()
            #expect(stopped.wait(timeout: .now() + 30) == .success)
            #expect(try Self.lines(server, "user.created").count == 1)
        }
    }
}
