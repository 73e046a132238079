import JSON
import Testing

/// `accounts:querySignInLink` and `accounts:denySignInLink`.
@Suite("Links of other devices")
struct QuerySignInLinkTests {
    private static let firefox =
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

    @Test func `a link's request is described without its address, and the link stays good`() async throws {
        let settings = [
            "PLACE_HEADER": "X-Place", "TRUSTED_PROXIES": "127.0.0.1/32", "ALLOWED_ORIGINS": "https://app.example.com",
        ]
        try await TestServer.runInProduction(settings) { server in
            let asked = try server.askForLink(
                "ann.long@example.com",
                continueURL: "https://app.example.com/in",
                headers: [Self.firefox, "X-Place: Turin, Italy", "X-Firebase-Locale: de"]
            )
            let answer = try server.queryLink(asked.oobCode, headers: ["X-Firebase-Locale: en"])
            #expect(
                answer.keys == [
                    "kind", "requestId", "email", "device", "place", "requestedAt", "state", "waiting", "approveUrl",
                ],
                "\(answer.text)"
            )
            #expect(answer["kind"] == "identitytoolkit#QuerySignInLinkResponse")
            #expect(answer["requestId"] == asked.requestID)
            #expect(answer["email"] == "a***@example.com")
            #expect(!answer.text.contains("ann.long"))
            #expect(answer["device"] == "Firefox · Linux")
            #expect(answer["place"] == "Turin, Italy")
            #expect(answer["requestedAt"].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(answer["state"] == "waiting")
            #expect(answer.json["waiting"] == true)
            #expect(
                answer["approveUrl"]
                    == "https://auth.example.com/auth/action?mode=signIn&lang=de&oobCode=\(asked.oobCode)"
                    + "&apiKey=latchkey&latchkeyRequestId=\(asked.requestID)"
            )
            #expect(try server.open(asked.mail.link).status == 303)
            let page = try server.open(answer["approveUrl"])
            #expect(page.status == 200)
            #expect(page.text.contains("<html lang=\"de\"") && page.text.contains("Firefox · Linux"))
            #expect(try server.redeem(asked.oobCode, "ann.long@example.com").status == 200)
        }
    }

    @Test func `what is not known of the asking device is left out`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let answer = try server.queryLink(asked.oobCode)
            #expect(answer.keys == ["kind", "requestId", "email", "requestedAt", "state", "waiting", "approveUrl"])
        }
    }

    @Test func `asking fifty times writes nothing`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            try server.storeCounts()
            server.statements.clear()
            for _ in 0..<50 { #expect(try server.queryLink(asked.oobCode).status == 200) }
            let own = server.statements.all.filter { !Trace.isHousekeeping($0) }
            #expect(own.filter { Trace.isWrite($0) }.isEmpty)
            #expect(own.contains { $0.contains("JOIN tickets") }, "the trace sees the call's statement")
            #expect(!own.contains { Trace.readsAccounts($0) })
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `the states tell what happened`() async throws {
        try await TestServer.run { server in
            func state(_ asked: Asked) throws -> String {
                let answer = try server.queryLink(asked.oobCode)
                #expect(answer.json["waiting"]?.bool == (answer["state"] == "waiting"))
                #expect(answer["requestId"] == asked.requestID)
                return answer["state"]
            }
            let approved = try server.askForLink("approved@example.com")
            #expect(try server.redeemTicket(approved.ticket).code == "TICKET_PENDING")
            #expect(try state(approved) == "waiting", "also while a device waits")
            let page = try server.answerLink(approved.oobCode, "approve", "&confirmation=\(approved.confirmation)")
            #expect(page.status == 200)
            #expect(try state(approved) == "approved")
            #expect(try server.redeemTicket(approved.ticket).status == 200)
            #expect(try state(approved) == "used")

            let byLink = try server.askForLink("link@example.com")
            #expect(try server.redeem(byLink.oobCode, "link@example.com").status == 200)
            #expect(try state(byLink) == "used")

            let byCode = try server.askForLink("code@example.com")
            #expect(try server.redeemTicket(byCode.ticket, code: byCode.mail.digits).status == 200)
            #expect(try state(byCode) == "used")

            let denied = try server.askForLink("denied@example.com")
            #expect(try server.answerLink(denied.oobCode, "deny").status == 200)
            #expect(try state(denied) == "ended")

            let wrong = try server.askForLink("wrong@example.com")
            #expect(try server.redeemTicket(wrong.ticket).code == "TICKET_PENDING")
            _ = try server.answerLink(wrong.oobCode, "approve", "&confirmation=\(wrong.wrongConfirmation)")
            #expect(try state(wrong) == "ended")

            let late = try server.askForLink("late@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 700)
            #expect(try state(late) == "expired")
            #expect(try state(denied) == "ended", "not expired")
            #expect(try state(byLink) == "used")
            #expect(try server.open(server.queryLink(late.oobCode)["approveUrl"]).text.contains("value=\"resend\""))
        }
    }

    @Test(arguments: ["accounts:querySignInLink", "accounts:denySignInLink"])
    func `what is no sign-in link is refused`(_ call: String) async throws {
        try await TestServer.run { server in
            func code(_ oobCode: String) throws -> String {
                try server.call(call, ["oobCode": .string(oobCode)]).code
            }
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            _ = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken)]
            )
            let verify = try server.message(after: known)
            #expect(try code(verify.oobCode) == "INVALID_OOB_CODE", "a code of another purpose")
            #expect(try server.call("accounts:resetPassword", ["oobCode": .string(verify.oobCode)]).status == 200)
            #expect(try server.call(call).code == "MISSING_OOB_CODE")
            #expect(try code("x") == "INVALID_OOB_CODE")
            let asked = try server.askForLink("ann@example.com")
            let forged = String(asked.oobCode.dropLast()) + (asked.oobCode.hasSuffix("A") ? "B" : "A")
            #expect(try code(forged) == "INVALID_OOB_CODE")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 610)
            // The link is signed for a minute longer than its ticket lives, so a new e-mail ends it.
            #expect(try server.answerLink(asked.oobCode, "resend").status == 200)
            #expect(try code(asked.oobCode) == "INVALID_OOB_CODE", "a replaced link")
        }
    }

    @Test func `a denial by the call ends link, code and ticket, as the page's does`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com", continueURL: "http://localhost/in")
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_PENDING")
            let answer = try server.denyLink(asked.oobCode)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"kind":"identitytoolkit#DenySignInLinkResponse","denied":true}"#)
            #expect(try server.redeemTicket(asked.ticket).code == "TICKET_ENDED")
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == "TICKET_ENDED")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(try server.denyLink(asked.oobCode).code == "TICKET_ENDED")
            let approved = try server.askForLink("ben@example.com")
            _ = try server.redeemTicket(approved.ticket)
            _ = try server.answerLink(approved.oobCode, "approve", "&confirmation=\(approved.confirmation)")
            #expect(try server.denyLink(approved.oobCode).status == 200, "until the device collects it")
            #expect(try server.redeemTicket(approved.ticket).code == "TICKET_ENDED")
        }
    }

    @Test func `a denial that comes too late says so, and changes nothing`() async throws {
        try await TestServer.run { server in
            let used = try server.askForLink("ann@example.com")
            let ann = try Tokens(server.redeem(used.oobCode, "ann@example.com"))
            #expect(try server.denyLink(used.oobCode).code == "TICKET_SPENT")
            #expect(try server.lookup(ann.idToken).status == 200)
            let expired = try server.askForLink("ben@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 700)
            #expect(try server.denyLink(expired.oobCode).status == 200, "as on the page")
            #expect(try server.queryLink(expired.oobCode)["state"] == "ended")
        }
    }

    @Test func `of a denial and a redemption at once, one happens`() async throws {
        try await TestServer.run { server in
            for number in 0..<10 {
                let email = "user\(number)@example.com"
                let asked = try server.askForLink(email)
                try server.waitUntilMailsAreFinished()
                let code = JSONValue.string(asked.oobCode)
                let answers = try server.callAtOnce([
                    ("accounts:denySignInLink", ["oobCode": code]),
                    ("accounts:signInWithEmailLink", ["oobCode": code, "email": .string(email)]),
                ])
                let codes = answers.map(\.code)
                #expect(codes == ["ok", "INVALID_OOB_CODE"] || codes == ["TICKET_SPENT", "ok"], "\(codes)")
                let state = try server.queryLink(asked.oobCode)["state"]
                #expect(state == (codes[0] == "ok" ? "ended" : "used"))
            }
        }
    }

    @Test func `web pages of the app may ask and deny, and others may not`() async throws {
        try await TestServer.runInProduction(["ALLOWED_ORIGINS": "https://app.example.com"]) { server in
            let asked = try server.askForLink("ann@example.com")
            let own = ["Origin: https://app.example.com"], evil = ["Origin: https://evil.example"]
            #expect(try server.denyLink(asked.oobCode, headers: evil).code == "ORIGIN_NOT_ALLOWED")
            #expect(try server.queryLink(asked.oobCode, headers: evil).code == "ORIGIN_NOT_ALLOWED")
            let answer = try server.queryLink(asked.oobCode, headers: own)
            #expect(answer["state"] == "waiting")
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
            #expect(try server.denyLink(asked.oobCode, headers: own).status == 200)
        }
    }
}
