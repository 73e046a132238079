import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing
import Tokens

extension TestServer {
    /// Counts this many wrong codes in a breaker, as other nodes would.
    func fillBreaker(_ breaker: CodeBreaker, by count: Int64 = 1_000_000) throws {
        try withDatabase { _ = try $0.count(breaker.counter, by: count, in: CodeBreaker.window) }
    }

    /// Turns a ticket into one of a version that only supported six digits.
    ///
    /// - Returns: the code and the digits of such a ticket.
    func makeOldForm(_ asked: Asked) throws -> (code: String, confirmation: String) {
        try elsewhere { store in
            let token = try #require(try TicketToken.verify(asked.ticket, secrets: store.secrets))
            _ = try store.database.writeNow {
                try $0.execute("UPDATE tickets SET code_form = NULL WHERE ticket = \(token.id.text)")
            }
            let keyID = store.secrets.newest.keyID
            return (
                try #require(
                    try SignInCode.code(.sixDigits, ticket: token.id, keyID: keyID, secrets: store.secrets)
                ),
                try #require(
                    try SignInCode.confirmation(.sixDigits, ticket: token.id, keyID: keyID, secrets: store.secrets)
                )
            )
        }
    }

    /// Sends calls at once, each on a separate connection and for a different client behind the trusted proxy.
    func callAtOnce(_ name: String, _ calls: [(client: String, body: JSONValue)]) throws -> [Answer] {
        let connections = try calls.map { call in
            let bytes = Self.request(
                "POST",
                "/v1/\(name)?key=k",
                headers: ["X-Forwarded-For: \(call.client)", "Content-Type: application/json"],
                body: call.body.serialized()
            )
            return (try HTTPConnection(port: port), bytes)
        }
        for (connection, bytes) in connections { try connection.send(bytes) }
        return try connections.map { try $0.0.answer() }
    }
}
