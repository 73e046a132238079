import Foundation
import JSON
import PostgreSQLHarness
import SMTPHarness
import Server
import Testing

extension TestServer {
    /// Settings of nodes that get no notifications: no database server listens where they should come from.
    static let withoutNotifications = ["POSTGRESQL_LISTEN_URL": "postgresql://latchkey@127.0.0.1:1/none"]

    /// Runs several nodes on one PostgreSQL database, whatever the engine of this run.
    ///
    /// They share their settings and their clock; each sends its e-mails to a mail server of the test.
    static func runNodes(
        _ count: Int,
        _ settings: [String: String] = [:],
        pace: Changes.Pace = Changes.Pace(),
        _ body: @escaping @Sendable ([TestServer]) throws -> Void
    ) async throws {
        try await gate.pass {
            try await inThread {
                try inFolder { folder in
                    let database = try TestDatabase(in: folder.path, engine: .postgreSQL)
                    defer { withExtendedLifetime(database) {} }
                    let clock = TestClock()
                    var all = [
                        "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
                        "LATCHKEY_DATABASE": database.url, "LATCHKEY_SECRET": secret,
                        "LATCHKEY_POSTGRESQL_CONNECTIONS": "8",
                    ]
                    for (name, value) in settings { all["LATCHKEY_\(name)"] = value }
                    var nodes: [TestServer] = []
                    defer { for node in nodes { node.stop() } }
                    for _ in 0..<count {
                        nodes.append(
                            try TestServer(all, file: nil, folder: folder, smtp: nil, clock: clock, pace: pace)
                        )
                    }
                    try body(nodes)
                }
            }
        }
    }

    /// Requests a sign-in e-mail from one of several nodes, and waits until it arrives in the mailbox of any of them.
    static func askForLink(_ email: String, _ nodes: [TestServer]) throws -> Asked {
        let answer = try nodes[0].call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": .string(email)]
        )
        #expect(answer.status == 200, "\(answer.text)")
        var mail: Mail?
        try nodes[0].eventually("the mail") {
            mail = try nodes.lazy.compactMap { try $0.messages().last { $0.to == email } }.first
            return mail != nil
        }
        return Asked(
            ticket: answer["ticket"],
            confirmation: answer["confirmation"],
            requestID: answer["requestId"],
            mail: try #require(mail)
        )
    }

    /// Runs SQL on the PostgreSQL database of a node.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try PostgreSQLServer.shared.get().psql(environment["LATCHKEY_DATABASE"] ?? "", sql)
    }
}
