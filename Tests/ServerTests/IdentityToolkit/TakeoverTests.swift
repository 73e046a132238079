import Database
import JSON
import Server
import Testing

/// An attacker gets the victim to confirm an address without having asked for it, and waits in the account for the
/// victim's data.
@Suite("Takeovers of confirmed addresses")
struct TakeoverTests {
    private static let settings = ["EMAIL_PRIVACY": "on"]
    private static let planted = ProviderPerson(provider: "oidc.example", subject: "attacker")

    /// The ways in which the victim confirms the attacker's change.
    enum Confirmation: String, CaseIterable, Sendable {
        case page, call

        func confirm(_ mail: Mail, _ server: TestServer) throws -> Answer {
            switch self {
            case .page: try server.answerLink(mail.oobCode, "confirm")
            case .call: try server.apply(mail)
            }
        }
    }

    @Test(arguments: Confirmation.allCases)
    func `an attacker's session reads nothing that the victim of an unsolicited confirmation makes later`(
        by confirmation: Confirmation
    ) async throws {
        try await TestServer.runInProduction { server in
            let attacker = try server.signIn("attacker@example.com")
            let mail = try server.askForMail(attacker.idToken, changingTo: "victim@example.com")
            #expect(mail.to == "victim@example.com")
            #expect(try server.untilNoticed { try confirmation.confirm(mail, server).status } == 200)
            let isAlive = try server.lookup(attacker.idToken).status == 200
            #expect(isAlive == (confirmation == .call), "only an app that applies the code itself goes on")

            let victim = try server.signIn("victim@example.com")
            #expect(victim.uid == attacker.uid)
            #expect(try server.lookup(attacker.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(attacker.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(victim.idToken).status == 200)
            #expect(try server.auditedEvents(of: victim.uid).contains("user.taken-over"))
            // The takeover happens once.
            let elsewhere = try server.signIn("victim@example.com")
            for tokens in [victim, elsewhere] { #expect(try server.lookup(tokens.idToken).status == 200) }
        }
    }

    @Test func `a confirmed VERIFY_EMAIL of a planted address leaves the attacker no session and no provider`()
        async throws
    {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let first = try Tokens(server.signIn(Self.planted))
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(first.idToken), "email": "victim@example.com"]
            )
            let attacker = try Tokens(server.signIn(Self.planted))
            let mail = try server.askForMail(set["idToken"])
            #expect(try server.answerLink(mail.oobCode, "confirm").status == 200)
            for token in [set["idToken"], attacker.idToken] {
                #expect(try server.lookup(token).status == 200, "VERIFY_EMAIL ends no session")
            }
            let victim = try server.signIn("victim@example.com")
            #expect(victim.uid == attacker.uid)
            for token in [set["idToken"], attacker.idToken] {
                #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            }
            #expect(try server.user(victim.idToken).providerIDs == ["password"])
            #expect(try Tokens(server.signIn(Self.planted)).uid != victim.uid)
        }
    }

    /// The ways in which the owner of the confirmed address arrives.
    enum Way: String, CaseIterable, Sendable {
        case link, code, approval, provider, mergedLink, mergedProvider

        func enter(_ server: TestServer) throws -> Tokens {
            let person = ProviderPerson(subject: "victim", email: "victim@example.com")
            switch self {
            case .link: return try server.signIn("victim@example.com")
            case .code:
                let asked = try server.askForLink("victim@example.com")
                return try Tokens(server.redeemTicket(asked.ticket, code: asked.mail.digits))
            case .approval:
                let asked = try server.askForLink("victim@example.com")
                _ = try server.redeemTicket(asked.ticket)
                let fields = "&confirmation=\(asked.confirmation)"
                #expect(try server.answerLink(asked.oobCode, "approve", fields).status == 200)
                return try Tokens(server.redeemTicket(asked.ticket))
            case .provider: return try Tokens(server.signIn(person))
            case .mergedLink: return try PreHijackTests.Way.mergedLink.enter(server)
            case .mergedProvider: return try PreHijackTests.Way.mergedProvider.enter(server)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `the first sign-in that proves a confirmed address removes everything that opened the account before`(
        way: Way
    ) async throws {
        try await TestServer.run(Self.settings) { server in
            let attacker = try server.signIn("attacker@example.com")
            let namesake = ProviderPerson(subject: "attacker")
            for person in [Self.planted, namesake] { _ = try Tokens(server.signIn(person, idToken: attacker.idToken)) }
            _ = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            let pending = try server.askForMail(attacker.idToken, changingTo: "third@example.com")
            let linked = try Tokens(server.signIn(Self.planted))
            server.clock.advance(seconds: 5)

            let victim = try way.enter(server)
            #expect(victim.uid == attacker.uid)
            for tokens in [attacker, linked] {
                #expect(try server.lookup(tokens.idToken).code == "TOKEN_EXPIRED")
                #expect(try server.refresh(tokens.refreshToken).code == "TOKEN_EXPIRED")
            }
            let providers = try server.user(victim.idToken).providerIDs.filter { $0 != "password" }
            #expect(providers == (way.rawValue.lowercased().contains("provider") ? ["google.com"] : []))
            let listed = victim.answer.json["providerUserInfo"]?.array ?? []
            #expect(!listed.contains { $0["providerId"] == "oidc.example" })
            #expect(try server.apply(pending).code == "INVALID_OOB_CODE")
            for person in [Self.planted, namesake] { #expect(try Tokens(server.signIn(person)).uid != victim.uid) }
            let issuedAt = try #require(try Claims(victim.idToken)["iat"]?.int64)
            #expect(try server.user(victim.idToken)["validSince"]?.string.flatMap { Int64($0) } == issuedAt)
        }
    }

    @Test(arguments: [Way.link, .provider])
    func `a takeover sends no notice and is not refused for one`(way: Way) async throws {
        try await TestServer.run(Self.settings.merging(["LIMITS_NOTICES_PER_ACCOUNT": "2"]) { $1 }) { server in
            server.clock.startNoon()
            let attacker = try server.signIn("attacker@example.com")
            // Two notices: of the provider and of the address.
            _ = try Tokens(server.signIn(Self.planted, idToken: attacker.idToken))
            _ = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            try server.waitUntilMailsAreFinished()
            let known = try server.allMessages().count
            #expect(try way.enter(server).uid == attacker.uid)
            _ = try server.askForLink("marker@example.com")
            try server.waitUntilMailsAreFinished()
            #expect(try server.allMessages().count == known + (way == .link ? 2 : 1), "only links that were asked for")
        }
    }

    @Test func `a linked identity or a custom token is no takeover and leaves the next proof to be one`() async throws {
        try await TestServer.run(Self.settings) { server in
            let attacker = try server.signIn("attacker@example.com")
            let known = ProviderPerson(subject: "attacker", email: "victim@example.com")
            _ = try Tokens(server.signIn(ProviderPerson(subject: "attacker"), idToken: attacker.idToken))
            _ = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            #expect(try Tokens(server.signIn(known)).uid == attacker.uid)
            #expect(try server.customSignIn(#"{"uid":"\#(attacker.uid)"}"#).status == 200)
            #expect(try server.lookup(attacker.idToken).status == 200, "nothing of before has ended")

            let victim = try server.signIn("victim@example.com")
            #expect(try server.lookup(attacker.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.user(victim.idToken).providerIDs == ["password"])
        }
    }

    /// The ways in which a user proves access to both the account and the mailbox.
    enum Proof: CaseIterable, Sendable {
        case tokenBesideCode, sessionAtLink, sessionOfTicket, sessionAtProvider
    }

    @Test(arguments: Proof.allCases)
    func `a user who is in the account and opens the mailbox keeps sessions and providers`(proof: Proof) async throws {
        try await TestServer.run(Self.settings) { server in
            let ann = try server.signIn("ann@example.com")
            _ = try Tokens(server.signIn(Self.planted, idToken: ann.idToken))
            let change = try server.askForMail(ann.idToken, changingTo: "new@example.com")
            let isOwners = proof == .tokenBesideCode
            let applied = try server.untilNoticed { try server.apply(change, idToken: isOwners ? ann.idToken : nil) }
            #expect(applied.status == 200)
            switch proof {
            case .tokenBesideCode: break
            case .sessionAtLink:
                let asked = try server.askForLink("new@example.com")
                #expect(try server.redeem(asked.oobCode, "new@example.com", idToken: ann.idToken).status == 200)
            case .sessionOfTicket:
                let asked = try server.askForLink("new@example.com", idToken: ann.idToken)
                #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
            case .sessionAtProvider:
                let person = ProviderPerson(subject: "ann", email: "new@example.com")
                #expect(try server.signIn(person, idToken: ann.idToken).status == 200)
            }
            let elsewhere = try server.signIn("new@example.com")
            #expect(elsewhere.uid == ann.uid)
            #expect(try server.lookup(ann.idToken).status == 200)
            #expect(try Tokens(server.signIn(Self.planted)).uid == ann.uid)
            #expect(try !server.auditedEvents(of: ann.uid).contains("user.taken-over"))
        }
    }

    @Test func `an ID token of another account or an ended session beside the code is refused`() async throws {
        try await TestServer.run(Self.settings) { server in
            let attacker = try server.signIn("attacker@example.com")
            let bob = try server.signIn("bob@example.com")
            let change = try server.askForMail(attacker.idToken, changingTo: "victim@example.com")
            _ = try server.call("accounts:signOut", ["refreshToken": .string(bob.refreshToken)])
            #expect(try server.apply(change, idToken: bob.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.apply(change, idToken: "x.y.z").code == "INVALID_ID_TOKEN")
            let cleo = try server.signIn("cleo@example.com")
            let applied = try server.untilNoticed { try server.apply(change, idToken: cleo.idToken) }
            #expect(applied.status == 200, "a refused call spends nothing")
            _ = try server.signIn("victim@example.com")
            #expect(try server.lookup(attacker.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test(arguments: ["on", "off"])
    func `a victim who restores an address that they never signed in with finds no other sessions in the account`(
        privacy: String
    ) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": privacy]) { server in
            let attacker = try server.signIn("attacker@example.com")
            _ = try Tokens(server.signIn(Self.planted, idToken: attacker.idToken))
            _ = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            // The attacker changes the address again, so that the victim gets a genuine e-mail that offers to recover
            // the address.
            let notice: Mail
            if privacy == "on" {
                notice = try server.changeAddress(attacker.idToken, to: "second@example.com")
            } else {
                var token = attacker.idToken
                let known = try server.messages().count
                for email in ["second@example.com", "third@example.com"] {
                    let set = try server.call("accounts:update", ["idToken": .string(token), "email": .string(email)])
                    token = set["idToken"]
                }
                notice = try server.message(after: known + 1)
            }
            #expect(notice.to == "victim@example.com")
            #expect(try server.answerLink(notice.oobCode, "confirm").status == 200)
            let victim = try server.signIn("victim@example.com")
            #expect(victim.uid == attacker.uid)
            #expect(try Tokens(server.signIn(Self.planted)).uid != victim.uid)
        }
    }

    @Test func `a provider that a takeover removes and that signs in at that moment is not in the account afterwards`()
        async throws
    {
        try await TestServer.run(Self.settings) { server in
            for round in 0..<4 {
                let person = ProviderPerson(provider: "oidc.example", subject: "attacker\(round)")
                let attacker = try server.signIn("attacker\(round)@example.com")
                _ = try Tokens(server.signIn(person, idToken: attacker.idToken))
                let email = "victim\(round)@example.com"
                _ = try server.changeAddress(attacker.idToken, to: email)
                let asked = try server.askForLink(email)
                let provider = (
                    name: "accounts:signInWithIdp",
                    body: TestServer.idpBody("oidc.example", UnsignedToken.make(person.claims))
                )
                let link: (name: String, body: JSONValue) = (
                    "accounts:signInWithEmailLink", ["email": .string(email), "oobCode": .string(asked.oobCode)]
                )
                let answers = try server.callAtOnce([provider, provider, link, provider, provider])
                let victim = try Tokens(answers[2])
                #expect(victim.uid == attacker.uid)
                for (index, answer) in answers.enumerated() where index != 2 {
                    let tokens = try Tokens(answer)
                    let isIn = try tokens.uid == victim.uid && server.lookup(tokens.idToken).status == 200
                    #expect(!isIn, "round \(round)")
                }
                #expect(try server.user(victim.idToken).providerIDs == ["password"])
                #expect(try Tokens(server.signIn(person)).uid != victim.uid)
            }
        }
    }

    @Test func `a copy of the users as a file does not lose the mark`() async throws {
        try await TestServer.run(Self.settings) { server in
            let attacker = try server.signIn("attacker@example.com")
            _ = try server.changeAddress(attacker.idToken, to: "victim@example.com")
            var bytes: [UInt8] = []
            try server.withOperator { _ = try $0.exportUsers(write: { bytes += $0 }, progress: { _ in }) }
            let users = try JSONValue.parse(bytes)["users"]?.array ?? []
            #expect(users.first { $0["email"] == "victim@example.com" }?["emailVerified"] == false)
            _ = try server.signIn("victim@example.com")
            bytes = []
            try server.withOperator { _ = try $0.exportUsers(write: { bytes += $0 }, progress: { _ in }) }
            let later = try JSONValue.parse(bytes)["users"]?.array ?? []
            #expect(later.first { $0["email"] == "victim@example.com" }?["emailVerified"] == true)
        }
    }
}
