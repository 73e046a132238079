import Foundation
import JSON
import Testing

@testable import Server

/// A factor for how long tests wait, for slow machines and sanitizers.
let patience = ProcessInfo.processInfo.environment["LATCHKEY_TEST_PATIENCE"].flatMap { Int($0) } ?? 1

/// A call of `accounts:signInWithTicket` with `wait`, whose answer has not been read yet.
final class HeldTicket {
    let connection: HTTPConnection
    /// When the call was sent, or earlier.
    private let start = ContinuousClock.now

    /// Sends the call, and waits until the server has noted that the device waits.
    init(_ server: TestServer, _ ticket: String, wait: Int = 20, onConflict: String? = nil, from source: String? = nil)
        throws
    {
        var body = JSONObject()
        body.append("ticket", .string(ticket))
        body.append("wait", try JSONValue.parse(Array("\(wait)".utf8)))
        if let onConflict { body.append("onConflict", .string(onConflict)) }
        connection = try HTTPConnection(port: server.port, from: source)
        try connection.send(
            TestServer.request(
                "POST",
                "/v1/accounts:signInWithTicket?key=k",
                headers: ["Content-Type: application/json"],
                body: JSONValue.object(body).serialized()
            )
        )
    }

    func answer() throws -> Answer { try connection.answer() }

    /// Returns the answer and the time from the call until it arrived.
    func timedAnswer() throws -> (answer: Answer, time: Duration) {
        (try answer(), ContinuousClock.now - start)
    }
}

extension TestServer {
    /// Waits until a ticket's call is held: until the transaction before the wait was committed, this many calls are held
    /// in total, and a moment longer.
    func untilHeld(_ ticketOf: Asked, calls: Int = 1) throws {
        try eventually("the page asks for the digits") {
            try self.open(ticketOf.mail.link).text.contains("name=\"confirmation\"")
        }
        try eventually("the call is held") { instance.services.changes.counts.calls >= calls }
        usleep(150_000)
    }

    /// Requests a sign-in e-mail without waiting for it.
    func askWithoutMail(_ email: String, headers: [String] = []) throws -> Answer {
        let answer = try call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)],
            headers: headers
        )
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }
}

extension Answer {
    /// Whether the ticket is still open.
    var isPending: Bool { status == 200 && json["pending"]?.bool == true && keys == ["kind", "pending"] }
}
