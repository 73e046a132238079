import AccountDatabase
import Accounts
import Database
import JSON
import Testing

/// Recovery of an address against a thief with a stolen session.
@Suite("Recovery of an address")
struct RecoveryTests {
    /// Changes the address by a confirmed code, and returns the notice to the old one.
    private static func change(_ server: TestServer, _ idToken: String, to email: String, asOwner: Bool = true) throws
        -> Mail
    {
        try server.waitUntilMailsAreFinished()
        let known = try server.messages().count
        let body: JSONValue = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(idToken), "newEmail": .string(email),
        ]
        #expect(try server.call("accounts:sendOobCode", body).status == 200)
        let code = try server.message(after: known).oobCode
        let applied: JSONValue =
            asOwner ? ["oobCode": .string(code), "idToken": .string(idToken)] : ["oobCode": .string(code)]
        #expect(try server.call("accounts:update", applied).status == 200)
        return try server.message(after: known + 1)
    }

    private static func recover(_ server: TestServer, _ notice: Mail) throws -> Answer {
        try server.call("accounts:update", ["oobCode": .string(notice.oobCode)])
    }

    @Test func `a thief who moves on to a third address does not end the owner's recovery link`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            let owners = try Self.change(server, ann.idToken, to: "thief@example.com")
            #expect(owners.to == "ann@example.com")
            let thiefs = try Self.change(server, ann.idToken, to: "third@example.com")
            #expect(thiefs.to == "thief@example.com")
            #expect(try Self.recover(server, thiefs)["email"] == "thief@example.com")
            #expect(try Self.recover(server, owners)["email"] == "ann@example.com")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
        }
    }

    @Test func `the first recovery link contests where the address between was never signed in with`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            let owners = try Self.change(server, ann.idToken, to: "thief@example.com", asOwner: false)
            let thiefs = try Self.change(server, ann.idToken, to: "third@example.com", asOwner: false)
            #expect(try Self.recover(server, thiefs)["email"] == "thief@example.com")
            #expect(try Self.recover(server, owners).json["contested"] == true)
        }
    }

    @Test func `a changed address is told to the last proven one, and not to an earlier one`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let user = try server.signIn("old@example.com")
            func set(_ email: String, _ token: String) throws -> (notice: Mail, token: String) {
                try server.waitUntilMailsAreFinished()
                let known = try server.messages().count
                let body: JSONValue = ["idToken": .string(token), "email": .string(email)]
                let answer = try server.call("accounts:update", body)
                #expect(answer.status == 200)
                return (try server.message(after: known), answer["idToken"])
            }
            let first = try set("ann@example.com", user.idToken)
            #expect(first.notice.to == "old@example.com")
            let known = try server.messages().count
            let verify: JSONValue = ["requestType": "VERIFY_EMAIL", "idToken": .string(first.token)]
            #expect(try server.call("accounts:sendOobCode", verify).status == 200)
            let code = try server.message(after: known).oobCode
            let applied: JSONValue = ["oobCode": .string(code), "idToken": .string(first.token)]
            #expect(try server.call("accounts:update", applied).status == 200)
            #expect(try set("thief@example.com", first.token).notice.to == "ann@example.com")
        }
    }

    @Test func `a session that began as a guest does not change a proven address without a notice`() async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let guest = try server.guest()
            let body: JSONValue = ["idToken": .string(guest.idToken), "email": "ann@example.com"]
            let token = try server.call("accounts:update", body)["idToken"]
            let known = try server.messages().count
            let verify: JSONValue = ["requestType": "VERIFY_EMAIL", "idToken": .string(token)]
            #expect(try server.call("accounts:sendOobCode", verify).status == 200)
            let code = try server.message(after: known).oobCode
            let applied: JSONValue = ["oobCode": .string(code), "idToken": .string(token)]
            #expect(try server.call("accounts:update", applied).status == 200)
            let changed: JSONValue = ["idToken": .string(token), "email": "thief@example.com"]
            #expect(try server.call("accounts:update", changed).status == 200)
            #expect(try server.message(after: known + 1).to == "ann@example.com")
        }
    }

    @Test func `an account that only confirmed the freed address loses it to a recovery`()
        async throws
    {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com"), other = try server.signIn("other@example.com")
            let owners = try Self.change(server, ann.idToken, to: "thief@example.com")
            try server.waitUntilMailsAreFinished()
            // The thief's second account; Ann presses the button of an e-mail that she did not request.
            _ = try server.changeAddress(other.idToken, to: "ann@example.com")
            #expect(try server.open(owners.link).text.contains("Restore your email address"))
            #expect(try Self.recover(server, owners)["email"] == "ann@example.com")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
            let left = try server.withDatabase { try $0.user(other.uid)?.email }
            #expect(left == nil)
        }
    }

    @Test func `an account that signed in with the freed address keeps it until it is deleted`() async throws {
        try await TestServer.runInProduction { server in
            let ann = try server.signIn("ann@example.com")
            let owners = try Self.change(server, ann.idToken, to: "thief@example.com")
            try server.waitUntilMailsAreFinished()
            let second = try server.signIn("ann@example.com")
            #expect(second.uid != ann.uid)
            let page = try server.open(owners.link)
            #expect(page.status == 409 && page.text.contains("Another account has your address"))
            #expect(try Self.recover(server, owners).code == "EMAIL_EXISTS")
            #expect(try server.call("accounts:delete", ["idToken": .string(second.idToken)]).status == 200)
            #expect(try Self.recover(server, owners)["email"] == "ann@example.com")
            #expect(try server.signIn("ann@example.com").uid == ann.uid)
        }
    }
}
