import Foundation
import JSON
import Testing

/// The texts of pages and e-mails that ask to confirm an address, and the button against an unsolicited one.
@Suite("Confirmation of addresses")
struct ConfirmationTests {
    private static let firefox = ["User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"]
    private static let note = "all providers linked to"

    @Test func `page and mail of a change name the masked account, the device and the time, and offer to deny`()
        async throws
    {
        try await TestServer.runInProduction { server in
            let attacker = try server.signIn("attacker@example.com")
            let mail = try server.askForMail(attacker.idToken, changingTo: "victim@example.com", headers: Self.firefox)
            let page = try server.open(mail.link)
            #expect(page.status == 200)
            for text in [mail.text, page.text] {
                for words in ["a***@example.com", "Firefox · Linux", " UTC", "This wasn’t me", Self.note] {
                    #expect(text.replacingOccurrences(of: "\n", with: " ").contains(words), "\(words)")
                }
                #expect(!text.contains("attacker@"))
            }
        }
    }

    @Test func `page and mail that verify an address name the account's first address, if it had one`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let attacker = try server.signIn("attacker@example.com")
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(attacker.idToken), "email": "victim@example.com"]
            )
            _ = try server.message(after: 1)
            let guest = try server.guest()
            let other = try server.call(
                "accounts:update",
                ["idToken": .string(guest.idToken), "email": "b@example.com"]
            )
            for (token, account) in [
                (set["idToken"], "a***@example.com"), (other["idToken"], "Account without a confirmed address"),
            ] {
                let mail = try server.askForMail(token, headers: Self.firefox)
                let page = try server.open(mail.link)
                for text in [mail.text, page.text] {
                    for words in [account, "Firefox · Linux", " UTC", "This wasn’t me", Self.note] {
                        #expect(text.replacingOccurrences(of: "\n", with: " ").contains(words), "\(words)")
                    }
                }
            }
        }
    }

    @Test func `a denied change has no effect, and its asker can send no e-mail to the address for a day`() async throws
    {
        try await TestServer.runInProduction { server in
            let attacker = try server.signIn("attacker@example.com")
            let mail = try server.askForMail(attacker.idToken, changingTo: "victim@example.com")
            let denied = try server.answerLink(mail.oobCode, "deny")
            #expect(denied.status == 200 && denied.text.contains("Request stopped"))
            #expect(try server.apply(mail).code == "INVALID_OOB_CODE")
            #expect(try server.answerLink(mail.oobCode, "confirm").status == 410)
            #expect(try server.answerLink(mail.oobCode, "deny").status == 410)
            #expect(try server.user(attacker.idToken)["email"] == "attacker@example.com")
            let body: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(attacker.idToken),
                "newEmail": "victim@example.com",
            ]
            #expect(try server.call("accounts:sendOobCode", body).code == "TOO_MANY_ATTEMPTS_TRY_LATER")
            #expect(try server.auditedEvents(of: attacker.uid).contains("email.denied"))
        }
    }

    @Test func `confirming a change on the page ends every session, a code applied by an app spares the asking one`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            for byPage in [true, false] {
                let asking = try server.signIn("ann@example.com"), other = try server.signIn("ann@example.com")
                let mail = try server.askForMail(asking.idToken, changingTo: "new@example.com")
                let answer = try server.untilNoticed {
                    try byPage ? server.answerLink(mail.oobCode, "confirm") : server.apply(mail)
                }
                #expect(answer.status == 200)
                #expect(try server.lookup(asking.idToken).code == (byPage ? "TOKEN_EXPIRED" : "ok"))
                #expect(try server.lookup(other.idToken).code == "TOKEN_EXPIRED")
                let last = try server.signIn("new@example.com")
                #expect(try server.call("accounts:delete", ["idToken": .string(last.idToken)]).status == 200)
            }
        }
    }

    @Test func `a recovery link has nothing to deny`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "on"]) { server in
            let ann = try server.signIn("ann@example.com")
            let recovery = try server.changeAddress(ann.idToken, to: "new@example.com")
            #expect(try server.answerLink(recovery.oobCode, "deny").status == 410)
            #expect(try server.apply(recovery)["email"] == "ann@example.com")
        }
    }
}
