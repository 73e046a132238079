import Database
import Foundation
import JSON
import Testing

/// Digits typed into the page of a request other than the one that shows them.
@Suite("Digits on the wrong page")
struct WrongPageTests {
    private static func approve(_ server: TestServer, _ page: Asked, _ digits: String) throws -> Answer {
        try server.answerLink(page.oobCode, "approve", "&confirmation=\(digits)")
    }

    /// Makes requests for an address whose devices all show different digits.
    private static func requests(_ count: Int, _ server: TestServer) throws -> [Asked] {
        var requests: [Asked] = []
        while requests.count < count {
            let asked = try server.askForLink("ann@example.com")
            if requests.contains(where: { $0.confirmation == asked.confirmation }) {
                _ = try server.answerLink(asked.oobCode, "deny")
            } else {
                requests.append(asked)
            }
        }
        return requests
    }

    @Test(arguments: [true, false])
    func `a stranger's nine requests get nothing from the owner's digits on any of their pages`(arePolled: Bool)
        async throws
    {
        try await TestServer.run { server in
            var requests = try Self.requests(10, server)
            let owner = requests.remove(at: 4)
            if arePolled { for stranger in requests { _ = try server.redeemTicket(stranger.ticket) } }
            _ = try server.redeemTicket(owner.ticket)
            let page = try server.open(requests[7].mail.link)
            #expect(page.text.contains("name=\"confirmation\""), "though no device may wait with the page's own ticket")
            #expect(!page.text.contains(requests[7].mail.shownDigits))
            #expect(page.text.contains("Several sign-in requests"))
            #expect(try Self.approve(server, requests[7], owner.confirmation).text.contains("Sign-in approved"))
            for stranger in requests { #expect(try server.redeemTicket(stranger.ticket).code == "TICKET_PENDING") }
            #expect(try server.redeemTicket(owner.ticket).status == 200)
        }
    }

    @Test func `a stranger's unpolled link does not show its code while the owner's device waits`() async throws {
        try await TestServer.run { server in
            let stranger = try server.askForLink("ann@example.com")
            #expect(try server.open(stranger.mail.link).text.contains(stranger.mail.shownDigits))
            let owner = try server.askForLink("ann@example.com")
            let several = try server.open(stranger.mail.link)
            #expect(several.text.contains(stranger.mail.shownDigits) && several.text.contains("Several sign-in"))
            _ = try server.redeemTicket(owner.ticket)
            let page = try server.open(stranger.mail.link)
            #expect(!page.text.contains(stranger.mail.shownDigits) && page.text.contains("name=\"confirmation\""))
            // Requests for other addresses do not count.
            let other = try server.askForLink("ben@example.com")
            let alone = try server.open(other.mail.link)
            #expect(alone.text.contains(other.mail.shownDigits) && !alone.text.contains("Several sign-in"))
        }
    }

    @Test func `digits that no open request shows end the page's own request and no other`() async throws {
        try await TestServer.run { server in
            let requests = try Self.requests(3, server)
            for asked in requests { _ = try server.redeemTicket(asked.ticket) }
            let shown = Set(requests.map(\.confirmation))
            let wrong = try #require((100...999).map { String($0) }.first { !shown.contains($0) })
            #expect(try Self.approve(server, requests[1], wrong).status == 403)
            let codes = try requests.map { try server.redeemTicket($0.ticket).code }
            #expect(codes == ["TICKET_PENDING", "TICKET_ENDED", "TICKET_PENDING"])
        }
    }

    @Test func `the digits of a request that is over, or of another address, approve nothing`() async throws {
        try await TestServer.run { server in
            let requests = try Self.requests(3, server)
            let other = try server.askForLink("ben@example.com")
            for asked in requests + [other] { _ = try server.redeemTicket(asked.ticket) }
            _ = try server.answerLink(requests[0].oobCode, "deny")
            #expect(try Self.approve(server, requests[1], requests[0].confirmation).status == 403)
            #expect(try server.redeemTicket(requests[0].ticket).code == "TICKET_ENDED")
            if !requests.map(\.confirmation).contains(other.confirmation) {
                #expect(try Self.approve(server, requests[2], other.confirmation).status == 403)
            }
            #expect(try server.redeemTicket(other.ticket).code == "TICKET_PENDING")
        }
    }

    @Test func `an expired request is not approved by its digits, and asks for none`() async throws {
        try await TestServer.run { server in
            let old = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(old.ticket)
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 6 * 60)
            let new = try server.askForLink("ann@example.com")
            #expect(try server.open(new.mail.link).text.contains("name=\"confirmation\""))
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 5 * 60)
            let page = try server.open(new.mail.link)
            #expect(page.text.contains(new.mail.shownDigits) && !page.text.contains("Several sign-in"))
            _ = try server.redeemTicket(new.ticket)
            if old.confirmation != new.confirmation {
                #expect(try Self.approve(server, new, old.confirmation).status == 403)
            }
            #expect(try server.redeemTicket(old.ticket).code == "TICKET_EXPIRED")
        }
    }

    @Test func `a request of two digits and one of three are told apart by what is typed`() async throws {
        try await TestServer.run { server in
            let old = try server.askForLink("ann@example.com")
            let digits = try server.makeOldForm(old).confirmation
            let new = try server.askForLink("ann@example.com")
            for asked in [old, new] { _ = try server.redeemTicket(asked.ticket) }
            #expect(try Self.approve(server, new, digits).text.contains("Sign-in approved"))
            #expect(try server.redeemTicket(old.ticket).status == 200)
            let mistyped = try Self.approve(server, new, digits)
            #expect(mistyped.status == 200 && mistyped.text.contains("Type exactly three digits"))
            #expect(try Self.approve(server, new, new.confirmation).text.contains("Sign-in approved"))
        }
    }

    @Test func `fifty approvals at once on ten pages approve one request once`() async throws {
        try await TestServer.run { server in
            let requests = try Self.requests(5, server)
            for asked in requests { _ = try server.redeemTicket(asked.ticket) }
            let connections = try (0..<50).map { index in
                let body =
                    "oobCode=\(requests[index % 5].oobCode)&action=approve&confirmation=\(requests[2].confirmation)"
                let connection = try HTTPConnection(port: server.port)
                try connection.send(TestServer.request("POST", "/auth/action", headers: [], body: Array(body.utf8)))
                return connection
            }
            for connection in connections { #expect(try connection.answer().status < 500) }
            #expect(try server.redeemTicket(requests[2].ticket).status == 200)
            let states = try server.withDatabase { transaction in
                try transaction.all("SELECT state FROM tickets ORDER BY id") { try $0.text(0) }
            }
            #expect(states.count { $0 == "spent" } == 1 && !states.contains("approved"))
        }
    }

    static let fields = [
        #"<input name="confirmation" maxlength="2">"#, #"<input name=confirmation maxlength=2>"#,
        #"<INPUT type='text' NAME='confirmation' pattern='[0-9]{2}'>"#,
        #"<input pattern="\d\d" name="confirmation"/>"#,
        #"<input type="number" name="confirmation" min="10" max="99">"#,
    ]

    @Test(arguments: fields)
    func `a replaced approve page that takes two digits stops the start`(field: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder.appending(path: "pages"), withIntermediateDirectories: true)
        let file = folder.appending(path: "pages/approve.html")
        try Data(#"<h1>Approve</h1><form><input name="oobCode" maxlength="2">\#(field)</form>"#.utf8).write(to: file)
        do {
            try await TestServer.run(["TEMPLATES": folder.path]) { _ in }
            Issue.record("it started")
        } catch {
            #expect("\(error)".contains("approve.html") && "\(error)".contains("three digits"), "\(error)")
        }
    }

    @Test(arguments: [
        #"<input name="confirmation" maxlength="3" pattern="[0-9]{3}">"#, #"<input name="confirmation">"#,
    ])
    func `a replaced approve page that takes three digits serves`(field: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder.appending(path: "pages"), withIntermediateDirectories: true)
        let file = folder.appending(path: "pages/approve.html")
        try Data("<h1>Mine</h1><form>\(field)</form>".utf8).write(to: file)
        try await TestServer.run(["TEMPLATES": folder.path]) { server in
            let asked = try server.askForLink("ann@example.com")
            _ = try server.redeemTicket(asked.ticket)
            #expect(try server.open(asked.mail.link).text.contains("<h1>Mine</h1>"))
        }
    }
}
