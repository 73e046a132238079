internal import AccountDatabase
internal import Accounts
internal import Database
internal import Glibc
internal import HTTPServer
internal import Mail
internal import Server
internal import Tokens

/// A whole server without sockets, with a guest, a person, and tickets and codes of every kind in its database.
struct RequestWorld {
    let services: Services
    let router: Router

    init() throws {
        // In memory if such a file system exists, because all writes are rolled back anyway.
        let folder = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let path = "\(folder)/latchkey-fuzz-\(getpid())-\(try TokenID.random().text).db"
        var settings = SQLiteConfiguration(path: path)
        settings.clock = { World.now * 1000 }
        let database = try SQLiteDatabase(settings, migrations: Migration.embedded())
        try database.writeNow(Self.populate)
        // Open files outlive their names, so nothing remains however the process ends. The one reader that is needed
        // has to be open by then.
        _ = try database.readNow { try $0.user("guest") }
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }

        let limit = "10000000"
        services = Services(
            configuration: configuration([
                "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_PROJECT_ID": World.audience,
                "LATCHKEY_ALLOWED_ORIGINS": "https://app.example.com", "LATCHKEY_LIMITS_LINKS_PER_CLIENT": limit,
                "LATCHKEY_LIMITS_FAILURES_PER_CLIENT": limit,
            ]),
            database: DryRunDatabase(base: database),
            secrets: World.secrets,
            idTokens: IDTokens(issuer: World.issuer, audience: World.audience, keys: World.keySet),
            pageTemplates: try PageTemplates(TemplateLibrary()),
            clock: { World.now * 1000 },
            logger: Log { _ in },
            wake: WorkerWakeUps(mailWorkers: {}, hookWorkers: {})
        )
        router = services.router()
    }

    private static func populate(_ transaction: Transaction) throws {
        let now = World.now * 1000
        let guest = User(anonymous: "guest", at: now)
        let person = User(uid: "person", provenEmail: World.address, at: now)
        for user in [guest, person] { try transaction.insert(user) }
        for (number, uid, provider) in [(1, "guest", SignInProvider.anonymous), (2, "person", .emailLink)] {
            let opening = SessionOpening(sid: World.id(UInt8(number)).text, rotates: true)
            try transaction.insert(Session(opening, uid: uid, provider: provider, at: now - 60_000))
        }
        for (number, email, sid) in [(21, "new@example.com", 1), (22, World.address, 2)] {
            var ticket = Ticket(
                id: World.id(UInt8(number)).text,
                keyID: World.secrets.newest.keyID,
                email: email,
                mailState: .sent,
                asking: AskingDevice(
                    sid: World.id(UInt8(sid)).text,
                    uid: sid == 1 ? "guest" : "person",
                    client: "client",
                    name: "Firefox · Linux",
                    place: nil,
                    locale: "en"
                ),
                continueURL: nil,
                createdAt: now,
                expiresAt: now + 600_000
            )
            ticket.polledAt = now
            try transaction.insert(ticket)
            if number == 22 {
                ticket.state = .approved
                _ = try transaction.update(ticket, from: .open)
            }
        }
        try insert(11, .emailSignIn, ticket: 21, email: "new@example.com", in: transaction)
        try insert(15, .emailSignIn, ticket: 22, in: transaction)
        try insert(16, .emailSignIn, ticket: 21, email: "new@example.com", in: transaction)
        try insert(12, .verifyEmail, uid: "person", in: transaction)
        try insert(13, .verifyAndChangeEmail, uid: "person", newEmail: "newer@example.com", in: transaction)
        try insert(14, .recoverEmail, uid: "person", in: transaction)
    }

    private static func insert(
        _ number: UInt8,
        _ purpose: ActionPurpose,
        ticket: UInt8? = nil,
        uid: String? = nil,
        email: String = World.address,
        newEmail: String? = nil,
        in transaction: Transaction
    ) throws {
        try transaction.insert(
            StoredActionCode(
                id: World.id(number).text,
                purpose: purpose,
                ticket: ticket.map { World.id($0).text },
                uid: uid,
                email: email,
                newEmail: newEmail,
                locale: "en",
                createdAt: World.now * 1000,
                expiresAt: (World.now + 600) * 1000
            )
        )
    }
}
