internal import Accounts

/// What an administrator can do to a user on the console, by the last segment of its path.
enum ConsoleUserAction: String, CaseIterable, Sendable {
    case sendLink = "send-link"
    case changeAddress = "change-address"
    case endSession = "end-session"
    case endSessions = "end-sessions"
    case keepNew = "keep-new"
    case keepOld = "keep-old"
    case disable
    case enable
    case liftLimits = "lift-limits"
    case export
    case delete

    /// The text of the link and of the button.
    var label: String {
        switch self {
        case .sendLink: "Send a sign-in e-mail"
        case .changeAddress: "Change the address"
        case .endSession: "End the session"
        case .endSessions: "End all sessions"
        case .keepNew: "Resolve: the current address keeps the account"
        case .keepOld: "Resolve: the old address gets the account back"
        case .disable: "Disable"
        case .enable: "Enable"
        case .liftLimits: "Lift limits, denials and suppressions"
        case .export: "Export all data"
        case .delete: "Delete"
        }
    }

    /// The sentence after it was done.
    var done: String {
        switch self {
        case .sendLink: "The sign-in e-mail is on its way."
        case .changeAddress: "The address was changed."
        case .endSession: "The session has ended."
        case .endSessions: "All sessions have ended."
        case .keepNew, .keepOld: "The account is no longer contested."
        case .disable: "The user is disabled."
        case .enable: "The user can sign in again."
        case .liftLimits: "Limits, denials and a suppression no longer stop the user."
        case .export: "The data was exported."
        case .delete: "The user was deleted."
        }
    }

    var isDangerous: Bool { [.keepOld, .disable, .delete].contains(self) }

    /// Whether the action makes sense for a user.
    func applies(to details: ConsoleUserDetails) -> Bool {
        let user = details.user
        return switch self {
        case .sendLink: user.email != nil && !user.isDisabled
        case .endSessions: !details.sessions.isEmpty
        case .keepNew, .keepOld: user.contest != nil
        case .disable: user.disabledAt == nil
        case .enable: user.disabledAt != nil
        case .changeAddress, .endSession, .liftLimits, .export, .delete: true
        }
    }

    /// What will happen, one sentence for each consequence.
    func consequences(for details: ConsoleUserDetails) -> [String] {
        let user = details.user
        return switch self {
        case .sendLink:
            [
                "\(user.email ?? "The address") gets an e-mail with a link and a code, which sign in.",
                "The e-mail ends a suppression of the address.",
            ]
        case .changeAddress:
            [
                "The new address is not confirmed until its owner opens an e-mail to it.",
                "All \(details.sessions.count) sessions end.",
                user.email == nil
                    ? "A guest becomes a permanent user."
                    : "The old address gets an e-mail with a link that restores it.",
            ]
        case .endSession:
            ["The device is signed out within seconds.", "A guest's data cannot be reached from it again."]
        case .endSessions:
            [
                "All \(details.sessions.count) sessions end. Each device is signed out within seconds.",
                user.isAnonymous
                    ? "This guest has no sign-in method, and can never sign in again."
                    : "The user signs in again as before.",
            ]
        case .keepNew: ["The account is enabled for the current address.", "The owner of the old address is not told."]
        case .keepOld:
            [
                "The old address gets the account back.", "All sessions end.",
                "All linked providers are removed, and e-mailed codes end.",
            ]
        case .disable:
            ["All \(details.sessions.count) sessions end.", "The user cannot sign in until you enable them."]
        case .enable: ["The user can sign in again.", "Earlier sessions stay ended."]
        case .liftLimits:
            [
                "Counters of limits and denials of the user and the address start again at zero.",
                "E-mails to the address are sent again if a mail server had reported it as nonexistent.",
            ]
        case .export:
            [
                "Your browser downloads a JSON file with all data of the user, documents and rows of your tables included.",
                "The file has no secrets, and no data of other users.",
                "The audit log records the export under your name.",
            ]
        case .delete:
            [
                "The user's profile, sign-in methods, username, sessions and documents are deleted.",
                "Requests for e-mails, waiting e-mails, the trace, merge reports, limits and suppressions are deleted, too.",
                "A record stays that the UID existed, so that it is never used again. The audit log and backups stay.",
                "You get a receipt, which the audit log keeps.",
                "This cannot be undone.",
            ]
        }
    }
}
