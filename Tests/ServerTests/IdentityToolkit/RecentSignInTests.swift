import Database
import JSON
import Server
import Testing

/// What a stolen ID token of an older sign-in may do (`life.recentSignIn`).
@Suite("Changes that need a recent sign-in")
struct RecentSignInTests {
    private static let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"

    /// Requests an e-mail with a session's token.
    private static func ask(
        _ server: TestServer,
        _ idToken: String,
        _ type: String,
        _ email: String
    ) throws -> Answer {
        try server.call(
            "accounts:sendOobCode",
            [
                "requestType": .string(type), "idToken": .string(idToken), "email": .string(email),
                "newEmail": .string(email),
            ]
        )
    }

    private static func update(_ server: TestServer, _ idToken: String, _ name: String, _ value: JSONValue) throws
        -> Answer
    {
        var body = JSONObject()
        body.append("idToken", .string(idToken))
        body.append(name, value)
        return try server.call("accounts:update", .object(body))
    }

    /// Makes every call that changes an address or a sign-in method, or deletes the user, with a session's token.
    private static func changes(
        _ server: TestServer,
        _ desk: ProviderDesk,
        _ idToken: String,
        toward email: String,
        code: String,
        subject: String
    ) throws -> [Answer] {
        [
            try ask(server, idToken, "VERIFY_AND_CHANGE_EMAIL", email),
            try ask(server, idToken, "EMAIL_SIGNIN", email),
            try update(server, idToken, "email", .string(email)),
            try update(server, idToken, "deleteAttribute", ["EMAIL"]),
            try update(server, idToken, "deleteProvider", ["password"]),
            try update(server, idToken, "deleteProvider", [.string(ServerMode.provider)]),
            try server.signIn(provider: ServerMode.provider, token: desk.token(subject, server), idToken: idToken),
            try server.signIn(
                provider: ServerMode.provider,
                token: desk.token(subject, server),
                idToken: idToken,
                returnsCredential: true
            ),
            try server.redeem(code, email, idToken: idToken),
            try server.call("accounts:delete", ["idToken": .string(idToken)]),
        ]
    }

    @Test(arguments: ServerMode.allCases)
    func `a stolen token of a sign-in 20 minutes ago changes nothing`(mode: ServerMode) async throws {
        try await mode.run { server, desk in
            let ann = try server.signIn("ann@example.com")
            let linked = try Tokens(
                server.signIn(
                    provider: ServerMode.provider,
                    token: desk.token("ann", server),
                    idToken: ann.idToken
                )
            )
            server.clock.advance(seconds: 20 * 60)
            let refreshed = try server.refresh(ann.refreshToken)["id_token"]
            let code = try server.askForLink("thief@example.org").oobCode
            let before = try server.accountState()
            for token in [ann.idToken, linked.idToken, refreshed] {
                let answers = try Self.changes(
                    server,
                    desk,
                    token,
                    toward: "thief@example.org",
                    code: code,
                    subject: "thief"
                )
                for (index, answer) in answers.enumerated() {
                    #expect(answer.status == 400 && answer.message == Self.tooOld, "\(index): \(answer.text)")
                }
            }
            #expect(try server.accountState() == before)
            // The link only works for the thief's own account.
            #expect(try server.redeem(code, "thief@example.org")["localId"] != ann.uid)
        }
    }

    @Test func `it is said before EMAIL_EXISTS and FEDERATED_USER_ID_ALREADY_LINKED`() async throws {
        try await TestServer.run { server in
            let desk = ProviderDesk(issuer: nil)
            let bob = try server.signIn("bob@example.com")
            _ = try Tokens(
                server.signIn(provider: ServerMode.provider, token: desk.token("bob", server), idToken: bob.idToken)
            )
            let ann = try server.signIn("ann@example.com")
            func answers() throws -> [Answer] {
                let code = try server.askForLink("bob@example.com").oobCode
                return [
                    try Self.ask(server, ann.idToken, "VERIFY_AND_CHANGE_EMAIL", "bob@example.com"),
                    try Self.update(server, ann.idToken, "email", "bob@example.com"),
                    try server.redeem(code, "bob@example.com", idToken: ann.idToken),
                    try server.signIn(
                        provider: ServerMode.provider,
                        token: desk.token("bob", server),
                        idToken: ann.idToken
                    ),
                ]
            }
            let taken = "EMAIL_EXISTS", owned = "FEDERATED_USER_ID_ALREADY_LINKED"
            #expect(try answers().map(\.code) == [taken, taken, taken, owned])
            server.clock.advance(seconds: 901)
            #expect(try answers().map(\.code) == [Self.tooOld, Self.tooOld, Self.tooOld, Self.tooOld])
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `profile, username, validSince, merging a guest in and mails to the own address need none`(
        mode: ServerMode
    ) async throws {
        try await mode.run { server, _ in
            let ann = try server.signIn("ann@example.com"), guest = try server.guest()
            server.clock.advance(seconds: 20 * 60)
            #expect(try Self.update(server, ann.idToken, "displayName", "Ann").status == 200)
            #expect(try Self.ask(server, ann.idToken, "VERIFY_EMAIL", "ann@example.com").status == 200)
            let bearer = ["Authorization: Bearer \(ann.idToken)"]
            let username = try server.call("accounts:setUsername", ["username": "ann"], headers: bearer)
            #expect(username.status == 200, "\(username.text)")
            let merged = try server.call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merged.status == 200, "\(merged.text)")
            let revoked = try Self.update(server, ann.idToken, "validSince", "0")
            #expect(revoked.status == 200)
            // The new session still belongs to the old sign-in.
            #expect(try Self.update(server, revoked["idToken"], "deleteAttribute", ["EMAIL"]).code == Self.tooOld)
            try server.waitUntilMailsAreFinished()
            // A link for the account's own address is the new sign-in, with or without the session.
            let asked = try server.askForLink("ann@example.com", idToken: revoked["idToken"])
            let again = try Tokens(server.redeem(asked.oobCode, "ann@example.com", idToken: revoked["idToken"]))
            #expect(
                try again.uid == ann.uid
                    && Self.update(server, again.idToken, "deleteAttribute", ["EMAIL"]).status == 200
            )
        }
    }

    @Test func `guests, and users who cannot sign in again, are exempt`() async throws {
        try await TestServer.run { server in
            let desk = ProviderDesk(issuer: nil)
            let guest = try server.guest(), linking = try server.guest(),
                bare = try Tokens(
                    server.signIn(provider: ServerMode.provider, token: desk.token("bare", server))
                )
            #expect(
                try Self.update(server, bare.idToken, "deleteProvider", [.string(ServerMode.provider)]).status == 200
            )
            let custom = try server.customSignIn(
                UnsignedToken.make(CustomTokenTests.claims("carl", at: server.clock.now() / 1000))
            )
            server.clock.advance(seconds: 20 * 60)
            #expect(try server.call("accounts:delete", ["idToken": .string(guest.idToken)]).status == 200)
            let asked = try server.askForLink("gwen@example.com", idToken: linking.idToken)
            #expect(try server.redeem(asked.oobCode, "gwen@example.com", idToken: linking.idToken).status == 200)
            let link = try server.askForLink("bare@example.com").oobCode
            #expect(try server.redeem(link, "bare@example.com", idToken: bare.idToken).status == 200)
            // The account now has a proven address, so the old session is checked.
            #expect(try server.call("accounts:delete", ["idToken": .string(bare.idToken)]).code == Self.tooOld)
            let token = custom["idToken"]
            #expect(try server.call("accounts:delete", ["idToken": .string(token)]).code == Self.tooOld)
        }
    }

    @Test(arguments: ServerMode.allCases)
    func `a change that was asked for in time is good for its life, by code, approval and link`(
        mode: ServerMode
    ) async throws {
        try await mode.run { server, _ in
            server.clock.freeze()
            let ann = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 899)
            let asked = try server.askForLink("ann2@example.com", idToken: ann.idToken)
            server.clock.advance(seconds: 60)
            let byLink = try Tokens(server.redeem(asked.oobCode, "ann2@example.com", idToken: ann.idToken))
            #expect(byLink.uid == ann.uid)
            // Waits for the notice to the old address, so that it is not mistaken for a later e-mail.
            try server.waitUntilMailsAreFinished()

            let eve = try server.signIn("eve@example.com")
            server.clock.advance(seconds: 899)
            let ticket = try server.askForLink("eve2@example.com", idToken: eve.idToken)
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 60)
            #expect(try Tokens(server.redeemTicket(ticket.ticket, code: ticket.mail.digits)).uid == eve.uid)
            try server.waitUntilMailsAreFinished()

            let ida = try server.signIn("ida@example.com")
            server.clock.advance(seconds: 899)
            let waiting = try server.askForLink("ida2@example.com", idToken: ida.idToken)
            try server.waitUntilMailsAreFinished()
            #expect(try server.redeemTicket(waiting.ticket).code == "TICKET_PENDING")
            server.clock.advance(seconds: 60)
            let approval = "&confirmation=\(waiting.confirmation)"
            #expect(try server.answerLink(waiting.oobCode, "approve", approval).status == 200)
            #expect(try Tokens(server.redeemTicket(waiting.ticket)).uid == ida.uid)
            try server.waitUntilMailsAreFinished()

            let dan = try server.signIn("dan@example.com"), before = try server.messages().count
            #expect(try Self.ask(server, dan.idToken, "VERIFY_AND_CHANGE_EMAIL", "dan2@example.com").status == 200)
            let code = try server.message(after: before).oobCode
            server.clock.advance(seconds: 3 * 3600)
            #expect(try server.call("accounts:update", ["oobCode": .string(code)])["email"] == "dan2@example.com")
        }
    }

    @Test func `a ticket that another user or none asked for is judged when it is redeemed`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 20 * 60)
            let thief = try server.signIn("thief@example.org")
            let tickets = [
                try server.askForLink("new@example.org"),
                try server.askForLink("new@example.org", idToken: thief.idToken),
                try server.askForLink("new@example.org", idToken: server.guest().idToken),
            ]
            for ticket in tickets {
                #expect(try server.redeem(ticket.oobCode, "new@example.org", idToken: ann.idToken).code == Self.tooOld)
            }
            #expect(
                try server.redeem(tickets[0].oobCode, "new@example.org", idToken: thief.idToken)["localId"] == thief.uid
            )
        }
    }

    @Test func `a ticket for the own address is judged once the account has another one`() async throws {
        try await TestServer.run { server in
            // The owner leaves a mailbox that a thief reads, and the thief has requested that address with the owner's
            // session.
            let ann = try server.signIn("old@example.com"), known = try server.messages().count
            #expect(try Self.ask(server, ann.idToken, "VERIFY_AND_CHANGE_EMAIL", "ann@example.com").status == 200)
            let change = try server.message(after: known)
            server.clock.advance(seconds: 20 * 60)
            let asked = try server.askForLink("old@example.com", idToken: ann.idToken)
            try server.waitUntilMailsAreFinished()
            #expect(try server.call("accounts:update", ["oobCode": .string(change.oobCode)]).status == 200)
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).code == Self.tooOld)
            #expect(try server.redeem(asked.oobCode, "old@example.com", idToken: ann.idToken).code == Self.tooOld)
            #expect(try server.user(ann.idToken)["email"] == "ann@example.com")
        }
    }

    @Test func `life.recentSignIn sets the time, and 0 switches the rule off`() async throws {
        for (setting, age, isRecent) in [("0", 3000, true), ("40m", 2399, true), ("40m", 2401, false)] {
            try await TestServer.run(["LIFE_RECENT_SIGN_IN": setting]) { server in
                server.clock.freeze()
                let ann = try server.signIn("ann@example.com")
                server.clock.advance(seconds: Int64(age))
                let answer = try server.call("accounts:delete", ["idToken": .string(ann.idToken)])
                #expect(isRecent ? answer.status == 200 : answer.code == Self.tooOld, "\(setting): \(answer.text)")
            }
        }
        for wrong in ["-1", "5", "x", "0m"] {
            #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: nil, environment: ["LATCHKEY_LIFE_RECENT_SIGN_IN": wrong])
            }
        }
    }

    @Test func `a sign-in counts as recent to the second, and not by a clock that is behind or was far ahead`()
        async throws
    {
        try await TestServer.run { server in
            server.clock.freeze()
            let ann = try server.signIn("ann@example.com")
            func isRecent(_ offset: Int64?) throws -> Bool {
                let authTime = offset.map { server.clock.now() / 1000 + $0 } ?? .min
                try server.withDatabase { try $0.execute("UPDATE sessions SET auth_time = \(authTime)") }
                let answer = try Self.ask(server, ann.idToken, "VERIFY_AND_CHANGE_EMAIL", "new@example.com")
                #expect(answer.status == 200 || answer.code == Self.tooOld, "\(answer.text)")
                return answer.status == 200
            }
            for offset: Int64 in [0, -899, 5] { #expect(try isRecent(offset), "\(offset)") }
            for offset: Int64 in [-901, 60, 3600] { #expect(try !isRecent(offset), "\(offset)") }
            #expect(try !isRecent(nil))
        }
    }

    @Test func `two changes at once from an old sign-in are both refused, and from a new one have one outcome each`()
        async throws
    {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let calls: [(name: String, body: JSONValue)] = [
                ("accounts:update", ["idToken": .string(ann.idToken), "deleteAttribute": ["EMAIL"]]),
                ("accounts:delete", ["idToken": .string(ann.idToken)]),
            ]
            server.clock.advance(seconds: 20 * 60)
            #expect(try server.callAtOnce(calls).map(\.code) == [Self.tooOld, Self.tooOld])
            let again = try server.signIn("ann@example.com")
            let delete: JSONValue = ["idToken": .string(again.idToken)]
            let answers = try server.callAtOnce([("accounts:delete", delete), ("accounts:delete", delete)])
            #expect(answers.map(\.status).sorted() == [200, 400])
            #expect(answers.contains { $0.code == "USER_NOT_FOUND" })
        }
    }
}
