import Foundation
import JSON
import Server
import Testing

@Suite("Modes and hosts")
struct ModeTests {
    @Test(arguments: [
        "Forwarded: for=203.0.113.1", "X-Forwarded-For: 203.0.113.1", "X-Forwarded-Host: example.com",
        "X-Forwarded-Proto: https", "X-Forwarded-Port: 443", "X-Real-IP: 203.0.113.1",
        "CF-Connecting-IP: 203.0.113.1", "True-Client-IP: 203.0.113.1", "X-Client-IP: 203.0.113.1",
    ])
    func `development mode refuses what came through a proxy, and says why`(header: String) async throws {
        try await TestServer.run { server in
            for (method, target) in [
                ("POST", "/v1/accounts:signUp?key=k"), ("GET", "/auth/action"), ("GET", "/mailbox"),
                ("GET", "/mailbox/messages"), ("GET", "/"), ("GET", "/.well-known/jwks.json"),
                ("POST", "/securetoken.googleapis.com/v1/token?key=k"),
            ] {
                let answer = try server.send(method, target, headers: [header])
                #expect(answer.status == 403, "\(method) \(target)")
                if target.contains("/v1/") { #expect(answer.message.contains("proxy")) }
            }
        }
    }

    @Test(arguments: [
        "evil.example", "evil.example:9099", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.0.1",
    ])
    func `development mode refuses a foreign name`(host: String) async throws {
        try await TestServer.run { server in
            for (method, target) in [("POST", "/v1/accounts:signUp?key=k"), ("GET", "/mailbox/messages")] {
                let answer = try server.send(method, target, headers: ["Host: \(host)"])
                #expect(answer.status == 403)
                #expect(answer.message.contains("developmentHosts"))
            }
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:9099", "127.0.0.1:1", "[::1]", "[::1]:9099", "10.0.2.2:9099", "dev.example",
    ])
    func `development mode answers to the names of this machine and to configured ones`(host: String) async throws {
        try await TestServer.run(["DEVELOPMENT_HOSTS": "dev.example"]) { server in
            let answer = try server.send("POST", "/v1/accounts:signUp?key=k", headers: ["Host: \(host)"])
            #expect(answer.status == 200)
        }
    }

    @Test func `a request without Host, or with two, is malformed`() async throws {
        try await TestServer.run { server in
            for head in [
                "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
                "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
                "GET /healthz HTTP/1.1\r\n\r\n",
            ] {
                let connection = try HTTPConnection(port: server.port)
                try connection.send(Array(head.utf8))
                #expect(try connection.answer().status == 400)
            }
        }
    }

    @Test func `no development route answers in production`() async throws {
        try await TestServer.runInProduction { server in
            for target in [
                "/mailbox", "/mailbox/messages", "/mailbox/messages/1", "/demo", "/emulator/v1/projects/p/config",
            ] {
                let answer = try server.send("GET", target)
                #expect(answer.status == 404, "\(target)")
            }
            #expect(server.instance.announcements.isEmpty)
        }
    }

    @Test func `development mode says that everyone here is an administrator`() async throws {
        try await TestServer.run { server in
            #expect(server.instance.announcements.contains { $0.contains("administrator") })
        }
    }

    @Test func `development mode names the demo and the mailbox`() async throws {
        try await TestServer.run { server in
            let url = server.instance.url
            let line = "Try the demo at \(url)/demo. Its e-mails arrive at \(url)/mailbox."
            #expect(server.instance.announcements.contains(line))
            let demo = try server.send("GET", "/demo")
            #expect(demo.status == 200)
        }
    }

    @Test func `the mailbox shows a mail to people, its content only in a sandbox`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            try server.eventually("the link is on the terminal") { server.announced.contains(asked.mail.link) }
            let list = try server.send("GET", "/mailbox")
            #expect(list.status == 200)
            #expect(list.text.contains("Latchkey &lt;latchkey@localhost&gt; → ann@example.com"))
            #expect(list.text.contains("<script src=\"/auth/mailbox.js\" defer></script>"))
            #expect(try server.send("GET", "/auth/mailbox.js").text.contains("fetch(location.href"))
            let id = try server.send("GET", "/mailbox/messages").json["messages"]?.array?.first?["id"]?.string ?? ""
            let page = try server.send("GET", "/mailbox/messages/\(id)")
            #expect(page.status == 200)
            #expect(page.text.contains("sandbox") && page.text.contains("Latchkey &lt;latchkey@localhost&gt;"))
            let dark = try server.send("GET", "/mailbox/messages/\(id)?scheme=dark")
            #expect(dark.text.contains("src=\"/mailbox/messages/\(id)/html?scheme=dark\""))
            let mail = try server.send("GET", "/mailbox/messages/\(id)/html?scheme=dark").text
            #expect(mail.contains("@media all") && !mail.contains("prefers-color-scheme"))
            #expect(page.header("content-security-policy")?.contains("default-src 'none'") == true)
            let frame = try server.send("GET", "/mailbox/messages/\(id)/html")
            #expect(frame.header("content-security-policy")?.contains("sandbox") == true)
            #expect(frame.header("content-security-policy")?.contains("allow-scripts") == false)
            #expect(try server.send("GET", "/mailbox/messages/unknown").status == 404)
            #expect(try server.send("DELETE", "/mailbox/messages").status == 200)
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `the log names no address, token, code or link`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
            let linked = try Tokens(server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken))
            _ = try server.refresh(linked.refreshToken)
            _ = try server.redeem(asked.oobCode, "bob@example.com")
            #expect(server.log.contains(guest.uid), "the log has lines")
            for secret in [
                "ann@", "bob@", "example.com", asked.oobCode, asked.mail.digits, asked.ticket, guest.idToken,
                linked.idToken, linked.refreshToken,
            ] {
                #expect(!server.log.contains(secret))
            }
        }
    }
}
