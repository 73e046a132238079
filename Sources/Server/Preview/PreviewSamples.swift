internal import Accounts
internal import Mail
internal import Tokens

/// The made-up person, request and account that the preview shows.
struct PreviewSamples: Sendable {
    /// Milliseconds since 1970: 20 November 2026, 20:31 UTC.
    static let now: Int64 = 1_795_206_660_000
    static let timeZone = "Europe/Rome"

    let locale: String
    /// Whether to show the longest values that can occur.
    let isLong: Bool
    let publicURL: String

    private static let longest =
        String(repeating: "a", count: 64) + "@" + String(repeating: "b", count: 60)
        + ".example.com"

    /// The address as pages show it.
    var maskedEmail: String { EmailAddress.masked(email) }
    var email: String { isLong ? Self.longest : "grace@example.com" }
    var newEmail: String { isLong ? Self.longest : "grace.hopper@example.org" }
    var device: String { isLong ? "Samsung Internet · ChromeOS" : "Firefox · Linux" }
    private var place: String {
        isLong ? "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch, Wales" : "Rome, Italy"
    }
    private var methods: String { isLong ? "\(Self.longest), Google, Microsoft, oidc.example" : "Google" }
    private static let wireCode = "AQGm0c3hEw5t6uTqUo9wX2yZpL4kVbNfRjDsHgCaIe7Mi1QxzWPB8O"

    /// A link with an action code.
    ///
    /// - Throws: an error of the random generator.
    func link(_ purpose: ActionPurpose = .emailSignIn, app: LinkedApp? = nil) throws -> PageLink {
        PageLink(
            code: ActionCode(id: try TokenID.random(), purpose: purpose, expiry: Self.now / 1000 + 600),
            wireCode: Self.wireCode,
            locale: locale,
            continueURL: nil,
            app: app,
            publicURL: publicURL
        )
    }

    /// The request of a sign-in e-mail.
    var ticket: Ticket {
        Ticket(
            id: "AZ3qnUQ5T0mQm1Vd3mYx2A",
            keyID: 1,
            email: email,
            mailState: .sent,
            asking: AskingDevice(
                sid: nil,
                uid: nil,
                client: "",
                name: device,
                place: place,
                locale: locale,
                timeZone: Self.timeZone
            ),
            continueURL: nil,
            createdAt: Self.now,
            expiresAt: Self.now + 600_000
        )
    }

    /// The session that the request has begun.
    var session: Session {
        let opening = SessionOpening(sid: "AZ3qnUQ5T0mQm1Vd3mYx2B", rotates: true, device: device)
        return Session(opening, uid: "user", provider: .emailLink, at: Self.now + 60_000)
    }

    func question(_ purpose: ActionPurpose, isContest: Bool = false) -> ActionQuestion {
        var code = StoredActionCode(
            id: "AZ3qnUQ5T0mQm1Vd3mYx2C",
            purpose: purpose,
            uid: "user",
            email: email,
            newEmail: purpose == .verifyAndChangeEmail ? newEmail : nil,
            locale: locale,
            createdAt: Self.now,
            expiresAt: Self.now + 86_400_000
        )
        code.device = device
        return ActionQuestion(code: code, account: EmailAddress.masked(email), isContest: isContest)
    }

    func applied(_ purpose: ActionPurpose, isContest: Bool = false) -> AppliedAction {
        var user = user
        if isContest { user.contest = Contest(since: Self.now, oldEmail: email) }
        return AppliedAction(
            user: user,
            identities: [],
            purpose: purpose,
            email: purpose == .verifyAndChangeEmail ? newEmail : email,
            continueURL: nil
        )
    }

    func change(_ kind: MethodChange.Kind) -> RevertibleChange {
        let identity = Identity(uid: "user", provider: "google.com", subject: "1")
        return RevertibleChange(
            user: user,
            code: question(.revertMethodChange).code,
            changes: [
                MethodChange(
                    kind,
                    LinkedIdentity(identity, linkedAt: Self.now),
                    code: "",
                    device: device,
                    changedAt: Self.now,
                    expiresAt: Self.now
                )
            ]
        )
    }

    func reverted(lacksMethod: Bool) -> RevertedChange {
        RevertedChange(user: user, lacksMethod: lacksMethod)
    }

    /// The account that the account page shows.
    var account: AccountOverview {
        let month: Int64 = 30 * 86_400_000
        var user = User(uid: "user", provenEmail: email, at: Self.now - 20 * month)
        user.displayName = isLong ? String(repeating: "Grace Brewster Murray Hopper ", count: 5) : "Grace Hopper"
        let identity = Identity(uid: "user", provider: "google.com", subject: "1", email: email)
        return AccountOverview(
            user: user,
            identities: [LinkedIdentity(identity, linkedAt: Self.now - 14 * month)],
            username: isLong ? String(repeating: "u", count: 30) : "grace",
            listed: ListedSessions(
                sessions: [
                    session, session("Safari · iPhone", lastUsed: 3 * 3_600_000), session("", lastUsed: month),
                ],
                current: session.sid
            )
        )
    }

    /// The account of a guest.
    var guestAccount: AccountOverview {
        AccountOverview(
            user: User(anonymous: "user", at: Self.now),
            identities: [],
            username: nil,
            listed: ListedSessions(sessions: [session], current: session.sid)
        )
    }

    private func session(_ device: String, lastUsed age: Int64) -> Session {
        let opening = SessionOpening(sid: "AZ3qnUQ5T0mQm1Vd3mYx2C", rotates: true, device: device)
        return Session(opening, uid: "user", provider: .emailLink, at: Self.now - age)
    }

    private var user: User { User(uid: "user", provenEmail: email, at: Self.now) }

    /// An e-mail of a kind.
    func payload(_ kind: MailKind, minutes: Int64) -> MailPayload {
        let mode =
            [.signIn, .signInLink].contains(kind)
            ? "signIn" : kind == .changeEmail ? "verifyAndChangeEmail" : "verifyEmail"
        let link = "\(publicURL)/auth/action?mode=\(mode)&lang=\(locale)&oobCode=\(Self.wireCode)&apiKey=latchkey"
        let next = "&continueUrl=https%3A%2F%2Fapp.example.com%2F" + String(repeating: "very-long-path", count: 40)
        return MailPayload(
            kind: kind,
            to: email,
            locale: locale,
            timeZone: Self.timeZone,
            values: [
                .link: isLong ? link + next : link, .code: "4029 1738", .minutes: "\(minutes)",
                .hours: "24", .days: "3", .device: device, .account: EmailAddress.masked(email),
                .email: kind == .changeEmail ? newEmail : email, .newEmail: newEmail, .methods: methods,
            ],
            messageID: "<preview@localhost>",
            queuedAt: Self.now
        )
    }
}
