internal import Accounts
internal import HTTPServer
internal import Mail
internal import Tokens

/// A page in one of its states, as the preview shows it.
///
/// The page is made by the functions that answer people, from ``PreviewSamples``.
struct PreviewState: Sendable {
    /// The name in the preview's URL.
    let name: String
    let render: @Sendable (Pages, PreviewSamples) throws -> Response

    private init(_ name: String, _ render: @escaping @Sendable (Pages, PreviewSamples) throws -> Response) {
        self.name = name
        self.render = render
    }

    /// Every page in every state.
    static let all: [PreviewState] =
        signInLinks + signInAnswers + otherLinks + otherAnswers + messages + mailbox
        + accountSignIn + account

    private static let signInLinks =
        [
            link("approve") { .awaitsApproval($0.ticket, SignInLinkNotes()) },
            link("approve-with-notes", app: .apple) {
                .awaitsApproval($0.ticket, SignInLinkNotes(meetsAccount: true, hasOtherRequests: true))
            },
            PreviewState("approve-mistyped") { pages, samples in
                let status = SignInLinkStatus.awaitsApproval(samples.ticket, SignInLinkNotes())
                return pages.show(.mistyped(status), try samples.link(), at: PreviewSamples.now)
            },
            link("code") { .showsCode($0.ticket, digits: "4029 1738", SignInLinkNotes()) },
            link("code-with-notes", app: .android(package: "com.example.app")) {
                .showsCode(
                    $0.ticket,
                    digits: "4029 1738",
                    SignInLinkNotes(meetsAccount: true, hasOtherRequests: true)
                )
            },
            link("codes-paused") {
                .pausesCodes($0.ticket, until: PreviewSamples.now + 40_000, SignInLinkNotes())
            },
            link("already-signed-in") { .used($0.ticket, $0.session) },
            link("used") { .signedOut($0.ticket, canResend: false) },
            link("used-with-resend") { .signedOut($0.ticket, canResend: true) },
            link("expired") { .expired($0.ticket) },
            link("replaced") { _ in .replaced },
            link("ended") { .ended($0.ticket, canResend: false) },
            link("ended-with-resend") { .ended($0.ticket, canResend: true) },
            link("stopped") { .denied($0.ticket) },
            link("unknown") { _ in .unknown },
        ]

    private static let signInAnswers = [
        answer("approved") { .approved($0.ticket) },
        answer("denied") { .denied($0.ticket) },
        answer("wrong-digits") { .wrongDigits($0.ticket, ended: [], canResend: false) },
        answer("wrong-digits-with-resend") { .wrongDigits($0.ticket, ended: [], canResend: true) },
        answer("resent") { .resent($0.ticket) },
        answer("session-ended") { .signedOut($0.ticket, uid: "user") },
    ]

    private static let otherLinks = [
        ask("confirm-verify-email", .verifyEmail),
        ask("confirm-change-email", .verifyAndChangeEmail),
        ask("confirm-recover-email", .recoverEmail),
        ask("confirm-contest", .recoverEmail, isContest: true),
        PreviewState("confirm-revert-added") { $0.confirm($1.change(.added), try $1.link(.revertMethodChange)) },
        PreviewState("confirm-revert-removed") { $0.confirm($1.change(.removed), try $1.link(.revertMethodChange)) },
    ]

    private static let otherAnswers = [
        done("done-verify-email", .verifyEmail),
        done("done-change-email", .verifyAndChangeEmail),
        done("done-recover-email", .recoverEmail),
        done("done-contest", .recoverEmail, isContest: true),
        PreviewState("done-revert-change") {
            $0.show($1.reverted(lacksMethod: false), try $1.link(.revertMethodChange))
        },
        PreviewState("done-revert-in-part") {
            $0.show($1.reverted(lacksMethod: true), try $1.link(.revertMethodChange))
        },
        PreviewState("denied-email") { $0.deniedAction(try $1.link(.verifyEmail)) },
    ]

    private static let messages = [
        refused("link-used", .invalidOobCode), refused("link-expired", .expiredOobCode),
        refused("wrong-address", .emailExists), refused("locked", .userDisabled),
        refused("operator-only", .operationNotAllowed), refused("too-many", .tooManyAttempts),
        PreviewState("address-taken") { $0.addressTaken(locale: $1.locale) },
        PreviewState("bad-link") { $0.unusableLink(locale: $1.locale) },
        PreviewState("error") { $0.error(status: 500, locale: $1.locale) },
        PreviewState("not-found") { $0.notFound(locale: $1.locale) },
        PreviewState("landing") { pages, samples in pages.landing(locale: samples.locale) },
    ]

    private static let mailbox = [
        PreviewState("mailbox") { pages, samples in
            let entry = MailboxEntry(
                path: "/mails/sign-in",
                subject: "Sign in · 2026-11-20 20:31 UTC",
                from: "\(pages.brand.name) <no-reply@example.com>",
                to: samples.email,
                time: Timestamp.minute(milliseconds: PreviewSamples.now)
            )
            return pages.mailbox([entry, entry])
        },
        PreviewState("mailbox-empty") { pages, _ in pages.mailbox([]) },
        PreviewState("mailbox-message") { pages, samples in
            let entry = MailboxEntry(
                path: "",
                subject: "Sign in · 2026-11-20 20:31 UTC",
                from: "\(pages.brand.name) <no-reply@example.com>",
                to: samples.email,
                time: Timestamp.minute(milliseconds: PreviewSamples.now)
            )
            let link = "\(samples.publicURL)/auth/action?mode=signIn"
            return pages.mailboxMessage(entry, text: "Sign in\n", links: [link], frame: "/mails/sign-in", scheme: nil)
        },
    ]

    private static let accountSignIn = [
        PreviewState("account-sign-in") { $0.askForAddress(formToken: "", locale: $1.locale) },
        PreviewState("account-sign-in-ended") {
            $0.askForAddress(formToken: "", locale: $1.locale, notice: .accountSignInEnded)
        },
        inbox("account-inbox", .code(digits: "417")),
        inbox("account-inbox-wrong-code", .code(digits: "417"), isWrong: true),
        inbox("account-inbox-approved", .approved),
        PreviewState("account-continue") {
            let entry = AccountEntry(path: AccountPath.open, field: "token", value: "")
            return $0.askToContinue(as: $1.maskedEmail, entry, formToken: "", locale: $1.locale)
        },
    ]

    private static let account = [
        PreviewState("account") {
            $0.account($1.account, formToken: "", locale: $1.locale, timeZone: PreviewSamples.timeZone)
        },
        PreviewState("account-of-guest") {
            $0.account($1.guestAccount, formToken: "", locale: $1.locale, timeZone: PreviewSamples.timeZone)
        },
        PreviewState("account-email-sent") {
            $0.accountEmailSent(to: try EmailAddress(parsing: $1.newEmail), locale: $1.locale)
        },
        PreviewState("account-confirm-sign-in") { $0.askToConfirmSignIn(formToken: "", locale: $1.locale) },
        PreviewState("account-delete") { $0.askToDelete($1.account.user, formToken: "", locale: $1.locale) },
        PreviewState("account-deleted") { $0.page("account-deleted", locale: $1.locale) },
        accountMessage("account-kept", .accountKept),
        accountMessage("account-address-taken", .accountTaken), accountMessage("account-stale", .accountStale),
        accountMessage("account-bad-address", .accountBadAddress),
    ]

    private static func inbox(_ name: String, _ inbox: AccountInbox, isWrong: Bool = false) -> PreviewState {
        PreviewState(name) { pages, samples in
            pages.awaitEmail(at: samples.email, inbox, formToken: "", locale: samples.locale, isWrong: isWrong)
        }
    }

    private static func accountMessage(_ name: String, _ message: PageMessage) -> PreviewState {
        PreviewState(name) { pages, samples in pages.accountMessage(message, locale: samples.locale, status: 200) }
    }

    private static func link(
        _ name: String,
        app: LinkedApp? = nil,
        _ status: @escaping @Sendable (PreviewSamples) -> SignInLinkStatus
    ) -> PreviewState {
        PreviewState(name) { pages, samples in
            pages.show(status(samples), try samples.link(app: app), at: PreviewSamples.now)
        }
    }

    private static func answer(
        _ name: String,
        _ answer: @escaping @Sendable (PreviewSamples) -> SignInLinkAnswer
    ) -> PreviewState {
        PreviewState(name) { pages, samples in
            pages.show(answer(samples), try samples.link(), at: PreviewSamples.now)
        }
    }

    private static func ask(_ name: String, _ purpose: ActionPurpose, isContest: Bool = false) -> PreviewState {
        PreviewState(name) { pages, samples in
            pages.ask(samples.question(purpose, isContest: isContest), try samples.link(purpose), leadingTo: nil)
        }
    }

    private static func done(_ name: String, _ purpose: ActionPurpose, isContest: Bool = false) -> PreviewState {
        PreviewState(name) { pages, samples in
            pages.show(samples.applied(purpose, isContest: isContest), try samples.link(purpose))
        }
    }

    private static func refused(_ name: String, _ code: Code) -> PreviewState {
        PreviewState(name) { pages, samples in pages.refused(Refusal(code), locale: samples.locale) }
    }
}
