internal import LatchkeyClient

extension Command {
    /// `latchkey merge`: moves the data of a guest in another session file to the account that is signed in here.
    static let merge = Command(
        name: "merge",
        summary: "Merge a guest into the account that is signed in here",
        discussion: """
            The guest's session is in another file. The account gets the guest's documents and rows in the operator's \
            tables, and the username and profile if it has none; then the guest is deleted. The merge succeeds \
            completely or changes nothing.

            'latchkey redeem' does the same when a guest redeems a link for an address that has an account.
            """,
        options: [
            Option(name: "guest-session", value: "FILE", help: "The guest's session file. Required."),
            Option(name: "dry-run", help: "Show what would move and how conflicts would be resolved; change nothing."),
        ] + Option.client,
        examples: [
            "latchkey merge --guest-session guest.json --dry-run",
            "latchkey merge --guest-session guest.json",
        ],
        content: .body { invocation in
            guard let file = invocation.value("guest-session") else {
                throw invocation.usage("Name the guest's session file with --guest-session FILE.")
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
                "You are signed in as a guest. Sign in to the account that the other guest merges into.",
                next: ["First:  latchkey send EMAIL"],
                code: AuthError.Code.notPermanent.rawValue
            )
        }
        switch guest.state {
        case .anonymous: break
        case .noUser: throw Failure("There is no session in \(file).", code: AuthError.Code.noCurrentUser.rawValue)
        case .authenticated(let user):
            throw Failure(
                "\(file) is the session of \(user.email ?? user.uid), which is not a guest; only guests can be merged.",
                code: AuthError.Code.notAnonymous.rawValue
            )
        }
    }
}

extension Invocation {
    /// Prints what a merge moved, or would move.
    func print(_ report: MergeReport) {
        let verb = report.isDryRun ? "Would move" : "Moved"
        var lines = ["\(verb) from the guest \(report.anonymousUID):"]
        lines += report.documents.lines
        lines += report.tables.filter { $0.moved + $0.dropped > 0 }.map(\.line)
        switch report.username {
        case .none: break
        case .moved(let name): lines.append("  username   \(name)")
        case .dropped(let name): lines.append("  username   \(name) dropped: the account has one")
        }
        if !report.profile.isEmpty { lines.append("  profile    \(report.profile.joined(separator: ", "))") }
        if lines.count == 1 { lines.append("  nothing: the guest had no data") }
        for line in lines { terminal.print(Terminal.plain(line)) }
    }
}

extension MergeReport.Documents {
    fileprivate var lines: [String] {
        guard moved > 0 || !conflicts.isEmpty else { return [] }
        let parts = collections.filter { $0.moved > 0 }.map { "\($0.name) \($0.moved)" }.joined(separator: ", ")
        var lines = ["  documents  \(moved)" + (parts.isEmpty ? "" : " (\(parts))")]
        lines += conflicts.map { "  conflict   \($0.path): \($0.sentence)" }
        if conflictsOmitted > 0 { lines.append("             and \(conflictsOmitted) more conflicts") }
        return lines
    }
}

extension MergeReport.Conflict {
    fileprivate var sentence: String {
        switch outcome {
        case .keptExisting: "the account's document stays"
        case .keptAnonymous: "the guest's document replaces it"
        case .keptBoth: "the guest's document is now \(newID ?? "under another id")"
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
