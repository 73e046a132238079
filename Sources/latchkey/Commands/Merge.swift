internal import LatchkeyClient

extension Command {
    /// `latchkey merge`.
    static let merge = Command(
        name: "merge",
        summary: "Move what a guest has into the account signed in here",
        discussion: """
            For a guest whose session is in another file. Documents, rows in the operator's tables and, where the \
            account has none, username and profile move to the account; the guest is gone then. It happens wholly or \
            not at all.

            'latchkey redeem' does the same by itself when a guest redeems a link for an address that has an account.
            """,
        options: [
            Option(name: "guest-session", value: "FILE", help: "The session file of the guest. Needed."),
            Option(name: "dry-run", help: "Tell what would move and how conflicts would be settled; change nothing."),
        ] + Option.client,
        examples: [
            "latchkey merge --guest-session guest.json --dry-run",
            "latchkey merge --guest-session guest.json",
        ],
        content: .body { invocation in
            guard let file = invocation.value("guest-session") else {
                throw invocation.usage("Say where the guest's session is: --guest-session FILE.")
            }
            let auth = try ClientSession.auth(invocation)
            let guest = try ClientSession.auth(invocation, sessionFile: file)
            try check(auth, guest, file: file)
            let report =
                try await (invocation.isOn("dry-run") ? auth.mergeDryRun(from: guest) : auth.merge(from: guest))
            guard !invocation.isJSON else { return try invocation.terminal.print(json: report) }
            let headline = report.isDryRun ? "Nothing has changed." : "The guest is merged into this account."
            invocation.terminal.print(invocation.terminal.strong(headline))
            invocation.print(report)
        }
    )

    private static func check(_ auth: Auth, _ guest: Auth, file: String) throws(Failure) {
        guard let user = auth.currentUser else { return }
        guard !user.isAnonymous else {
            throw Failure(
                "Only a guest is signed in here; a guest is merged into an account.",
                next: ["First:  latchkey send EMAIL"],
                code: AuthError.Code.notPermanent.rawValue
            )
        }
        switch guest.state {
        case .anonymous: break
        case .noUser: throw Failure("Nobody is signed in by \(file).", code: AuthError.Code.noCurrentUser.rawValue)
        case .authenticated(let user):
            throw Failure(
                "\(user.email ?? user.uid) is signed in by \(file), who is no guest: only a guest can be merged away.",
                code: AuthError.Code.notAnonymous.rawValue
            )
        }
    }
}

extension Invocation {
    /// Shows to a person what a merge moved, or would move.
    func print(_ report: MergeReport) {
        let verb = report.isDryRun ? "Would move" : "Moved"
        var lines = ["\(verb) from the guest \(report.anonymousUID):"]
        lines += report.documents.lines
        lines += report.tables.filter { $0.moved + $0.dropped > 0 }.map(\.line)
        switch report.username {
        case .none: break
        case .moved(let name): lines.append("  username   \(name)")
        case .dropped(let name): lines.append("  username   not \(name): the account has one")
        }
        if !report.profile.isEmpty { lines.append("  profile    \(report.profile.joined(separator: ", "))") }
        if lines.count == 1 { lines.append("  nothing: the guest had nothing") }
        for line in lines { terminal.print(Terminal.plain(line)) }
    }
}

extension MergeReport.Documents {
    fileprivate var lines: [String] {
        guard moved > 0 || !conflicts.isEmpty else { return [] }
        let parts = collections.filter { $0.moved > 0 }.map { "\($0.name) \($0.moved)" }.joined(separator: ", ")
        var lines = ["  documents  \(moved)" + (parts.isEmpty ? "" : " (\(parts))")]
        lines += conflicts.map { "  both had   \($0.path): \($0.sentence)" }
        if conflictsOmitted > 0 { lines.append("             and \(conflictsOmitted) more that both had") }
        return lines
    }
}

extension MergeReport.Conflict {
    fileprivate var sentence: String {
        switch outcome {
        case .keptExisting: "the account's stays"
        case .keptAnonymous: "the guest's takes its place"
        case .keptBoth: "the guest's is \(newID ?? "there under another id") now"
        case .merged: "merged"
        default: outcome.rawValue
        }
    }
}

extension MergeReport.Table {
    fileprivate var line: String {
        let dropped = dropped > 0 ? ", \(dropped) dropped: the account has such a row" : ""
        return "  table      \(name) \(moved)\(dropped)"
    }
}
