import Accounts
import DatabaseHarness
import PostgreSQLHarness
import Testing
import Tokens

@testable import AccountDatabase
@testable import Database

/// The time of the store's tests, in milliseconds since 1970.
let moment: Int64 = 1_900_000_000_000

/// Values with every field set to a different value, so that swapped columns are noticed.
enum Example {
    static let auditFilter = {
        var filter = AuditFilter()
        filter.uid = "u"
        filter.actor = "login"
        return filter
    }()

    static let traceEntry = TraceEntry(
        .queued,
        of: "request-1",
        mail: "mail-1",
        address: "hash-1",
        uid: "uid-1",
        kind: .verifyEmail,
        device: "Firefox · Linux",
        network: "label-1",
        detail: "250 2.0.0 Ok",
        occurrences: 3,
        at: 1_000
    )

    static let linkOpening = LinkOpening(
        code: "code-1",
        device: TracedDevice(name: "Safari · iPhone", network: "label-2"),
        looksLikeScanner: true
    )

    static let knownClient = KnownClientRecord(
        uid: "u",
        email: "e",
        address: "a",
        addresses: ["a", "b"],
        client: "c",
        mayBeKnown: true
    )

    static var user: User {
        var user = User(uid: "uid-1", createdAt: 1_000)
        user.email = "ada@example.com"
        user.emailVerifiedAt = 2_000
        user.emailLinkAt = 3_000
        user.displayName = "Ada 'Lovelace' \u{1F9EE}"
        user.photoURL = "https://example.com/ada.png"
        user.screenName = "ada"
        user.customAuthAt = 4_500
        user.importedAt = 4_600
        user.initialEmail = "countess@example.com"
        user.unclaimedSince = 4_700
        user.takenOverAt = 4_800
        user.initialUnclaimedSince = 4_900
        user.contest = Contest(since: 4_950, oldEmail: "byron@example.com")
        user.customAttributes = #"{"role":"author"}"#
        user.anonymousSince = 4_000
        user.disabledAt = 5_000
        user.reviewSince = 6_000
        user.validSince = 7
        user.lastLoginAt = 8_000
        user.lastRefreshAt = 9_000
        return user
    }

    /// An identity with the time at which it was linked.
    static var linkedIdentity: LinkedIdentity {
        LinkedIdentity(
            Identity(
                uid: "uid-1",
                provider: "google.com",
                subject: "subject-1",
                email: "ada@gmail.com",
                displayName: "Ada",
                photoURL: "https://example.com/a.png",
                screenName: "ada"
            ),
            linkedAt: 1_500
        )
    }

    static var methodChange: MethodChange {
        MethodChange(
            .removed,
            linkedIdentity,
            code: "code-1",
            device: "Firefox on Linux",
            changedAt: 2_500,
            expiresAt: 3_500
        )
    }

    /// The rank of ``mail``.
    static let rank = MailRank(.unknown, at: moment)

    static var username: Username { get throws { try #require(Username("Ada_1")) } }

    static var dueGuest: DueGuest {
        DueGuest(number: 1, uid: "uid-1", documents: 0, lastUsedAt: 1_000, isBusy: false)
    }

    static var browserSession: BrowserSession {
        BrowserSession(
            id: "b",
            page: .account,
            uid: user.uid,
            sid: session.sid,
            opensSession: true,
            createdAt: moment,
            expiresAt: moment
        )
    }

    static var session: Session {
        Session(
            sid: "sid-1",
            uid: "uid-1",
            provider: .emailLink,
            generation: 3,
            generationAt: 1_000,
            fixedSince: 2_000,
            authTime: 3,
            createdAt: 4_000,
            lastUsedAt: 5_000,
            endedAt: nil,
            claims: #"{"tier":2}"#,
            exchangedAt: 6_000
        )
    }

    static var ticket: Ticket {
        var ticket = Ticket(
            id: "ticket-1",
            keyID: 200,
            email: "ada@example.com",
            mailState: .queued,
            asking: AskingDevice(
                sid: "sid-1",
                uid: "uid-1",
                client: "client-1",
                name: "Firefox · Linux",
                place: "London",
                locale: "pt-BR"
            ),
            continueURL: "https://app.example.com/?a=b",
            createdAt: 1_000,
            expiresAt: 2_000,
            trustedAt: 1_000
        )
        ticket.judgedAt = 1_100
        ticket.mintedAt = 1_200
        return ticket
    }

    static var actionCode: StoredActionCode {
        var code = StoredActionCode(
            id: "code-1",
            purpose: .verifyAndChangeEmail,
            ticket: "ticket-1",
            uid: "uid-1",
            askingSID: "sid-1",
            email: "ada@example.com",
            newEmail: "lovelace@example.com",
            locale: "ja",
            continueURL: "https://app.example.com/done",
            createdAt: 1_000,
            expiresAt: 2_000,
            device: "Firefox · Linux",
            askingClient: "client-1",
            unclaimedSince: 500
        )
        code.forAdministratorAt = 1_000
        return code
    }

    static var merge: StoredMerge {
        StoredMerge(id: "merge-1", uid: "uid-1", targetUID: "uid-2", state: .committed, report: #"{"dryRun":false}"#)
    }

    static var hookMessage: HookMessage {
        HookMessage(id: "msg-1", event: .mergeCommit, hook: "hook-1", merge: "merge-1", payload: "{}")
    }

    static var mail: QueuedMail {
        QueuedMail(
            id: "mail-1",
            kind: .signIn,
            to: "ada@example.com",
            locale: "en",
            ticket: "ticket-1",
            queuedAt: 1_000
        )
    }

    static var document: Document {
        Document(
            name: DocumentName(storedCollection: "notes", id: "note-1"),
            content: #"{"text":"Ada \u{1F9EE}","n":1.10}"#,
            version: 7,
            updatedAt: 8_000
        )
    }

    static var signingKey: StoredSigningKey {
        StoredSigningKey(
            kid: "kid-1",
            algorithm: "ES256",
            privateKey: "sealed",
            createdAt: 1_000,
            signsFrom: 2_000,
            retiredAt: nil
        )
    }
}

extension Ticket {
    /// Gives every field that changes until a ticket is spent a different value, except the states.
    mutating func redeem(isNewUser: Bool, linked: Bool) {
        wrongCodes = 3
        wrongAddresses = 2
        polledAt = 4
        expiresAt = 5
        settledAt = 6
        settledBy = "code-1"
        presentedSID = "sid-9"
        result = TicketResult(uid: "uid-9", sid: "sid-8", isNewUser: isNewUser, linked: linked, mergeID: "merge-1")
    }
}

/// A new database with the product's tables, at ``moment``, on the engine of this run.
struct FreshStore: Sendable {
    let database: any Database
    let remove: @Sendable () -> Void

    init() throws {
        switch TestDatabase.Engine.current {
        case .sqlite:
            let fresh = try Fresh.store()
            (database, remove) = (fresh.database, fresh.remove)
        case .postgreSQL:
            let fresh = try FreshPostgreSQL(migrations: Migration.embedded()) {
                $0.clock = { moment }
                $0.connections = 1
            }
            (database, remove) = (fresh.database, fresh.remove)
        }
    }

    /// Writes, and reads the result in a separate transaction.
    func after<T: Sendable>(
        _ write: @escaping @Sendable (Transaction) throws -> Void,
        read: (Transaction) throws -> T
    ) async throws -> T {
        try await database.write(write)
        return try database.readNow(read)
    }
}

extension Fresh {
    /// Makes a new SQLite database with the product's tables, at ``moment``.
    static func store() throws -> Fresh {
        try Fresh(migrations: Migration.embedded()) { $0.clock = { moment } }
    }
}
