internal import Server

/// The operator commands with what they do.
extension Command {
    static let backup = backup { arguments, context in
        try operating(context) { try $0.backUp(to: arguments.file, replacing: arguments.isForced) }
        try context.print(["file": arguments.file], lines: ["Copied the database to \(arguments.file)."])
    }

    static let assets = assets { _, context in
        let report = try operating(context) { try $0.scanAssets() }
        let lines = report.columns.map(line) + report.problems.map(line)
        try context.print(report, lines: lines.isEmpty ? ["No tables of yours refer to users."] : lines)
    }

    private static func line(_ column: AssetReport.Column) -> String {
        var parts = ["\(Terminal.plain(column.table)).\(Terminal.plain(column.column))", column.policy]
        if let onDelete = column.onDelete { parts.append("on delete \(onDelete.lowercased())") }
        if let through = column.through { parts.append("through \(Terminal.plain(through))") }
        parts.append("\(column.rows)\(column.hasMoreRows ? " or more" : "") \(column.rows == 1 ? "row" : "rows")")
        if column.holds == "id" { parts.append("by number") }
        if !column.isIndexed { parts.append("no index: each merge reads the whole table") }
        return parts.joined(separator: "  ")
    }

    private static func line(_ problem: AssetReport.Problem) -> String {
        "\(Terminal.plain(problem.table))  \(problem.isBlocking ? "stops every merge" : "is left alone"): "
            + Terminal.plain(problem.reason)
    }

    static let keys = keys(
        list: { _, context in
            let keys = try operating(context) { try $0.keys() }
            try context.print(
                keys,
                lines: keys.map { key in
                    "\(key.kid)  \(key.algorithm)  \(key.state)"
                        + (key.state == "next" ? ", signs from \(key.signsFrom)" : "")
                        + (key.retiredAt.map { ", goes at \($0)" } ?? "")
                }
            )
        },
        rotate: { arguments, context in
            let key = try operating(context) { try $0.rotateKeys(algorithm: arguments.algorithm) }
            try context.print(
                key,
                lines: ["Made key \(key.kid) (\(key.algorithm)). It is published now and signs from \(key.signsFrom)."]
            )
        },
        reseal: { _, context in
            let report = try operating(context) { try $0.resealKeys() }
            let mails =
                report.waitingMails == 0
                ? "Nothing stored needs an older secret any more."
                : "\(report.waitingMails) waiting mails still need the older secret; try again when they are sent."
            try context.print(report, lines: ["Sealed \(report.keys) keys under the newest secret.", mails])
        }
    )

    static let outbox = outbox(
        list: { arguments, context in
            let mails = try operating(context) { try $0.outbox(state: arguments.state, limit: 200) }
            try context.print(mails, lines: mails.isEmpty ? ["No mails."] : mails.map(line))
        },
        show: { arguments, context in
            let mail = try operating(context) { try $0.mail(arguments.id) }
            try context.print(mail, lines: [line(mail)])
        },
        retry: { arguments, context in
            let line =
                switch try operating(context, { try $0.retryMail(arguments.id) }) {
                case .due: "The mail is due now; a running server tries it at once."
                case .mailboxReleased:
                    "This mail is gone, but mails to its address are sent again. Have the user ask for a new one."
                }
            try context.print(["id": arguments.id], lines: [line])
        }
    )

    private static func line(_ mail: OutboxReport) -> String {
        var line = "\(mail.id)  \(mail.kind)  \(mail.state)  queued \(mail.queuedAt)  attempts \(mail.attempts)"
        if let dueAt = mail.dueAt { line += "  next \(dueAt)" }
        if let reason = mail.reason { line += "\n    \(reason)" }
        return line
    }

    static let hooks = hooks(
        list: { arguments, context in
            let messages = try operating(context) { try $0.hookMessages(state: arguments.state, limit: 200) }
            try context.print(messages, lines: messages.isEmpty ? ["No messages."] : messages.map(line))
        },
        retry: { arguments, context in
            try operating(context) { try $0.retryHookMessage(arguments.id) }
            try context.print(
                ["id": arguments.id],
                lines: ["The message is due now; a running server tries it at once."]
            )
        }
    )

    private static func line(_ message: HookMessageReport) -> String {
        var line = "\(message.id)  \(message.hook)  \(message.event)  \(message.state)  queued \(message.queuedAt)"
        line += "  attempts \(message.attempts)"
        if let mergeID = message.mergeID { line += "  merge \(mergeID)" }
        if let dueAt = message.dueAt { line += "  next \(dueAt)" }
        if let reason = message.reason { line += "\n    \(reason)" }
        return line
    }

    static let mail = mail(test: { arguments, context in
        let report: MailTestReport
        do {
            report = try await MailTest.send(
                to: arguments.address,
                file: context.configurationFile,
                environment: context.settings
            )
        } catch {
            throw Failure(operating: error)
        }
        guard report.accepted else {
            throw Failure("\(report.server) did not take the mail: \(report.answer)", code: "mail-refused")
        }
        try context.print(report, lines: ["\(report.server) took the mail: \(report.answer)"])
    })

    static let users = users(
        list: { arguments, context in
            let users = try operating(context) { try $0.users(after: arguments.after, limit: arguments.limit) }
            try context.print(users, lines: users.isEmpty ? ["No users."] : users.map(line))
        },
        show: { arguments, context in
            let user = try operating(context) { try $0.user(arguments.uid) }
            try context.print(user, lines: details(user))
        },
        disable: { arguments, context in
            try operating(context) { try $0.setDisabled(true, arguments.uid) }
            try context.print(["uid": arguments.uid], lines: ["\(arguments.uid) is disabled; all sessions have ended."])
        },
        enable: { arguments, context in
            try operating(context) { try $0.setDisabled(false, arguments.uid) }
            try context.print(["uid": arguments.uid], lines: ["\(arguments.uid) may sign in again."])
        },
        resolve: { arguments, context in
            let email = try operating(context) {
                try $0.resolve(arguments.uid, keepsOldAddress: arguments.keepsOldAddress)
            }
            try context.print(
                ["uid": arguments.uid, "email": email ?? ""],
                lines: ["\(arguments.uid) belongs to \(email ?? "no address") and is no longer contested."]
            )
        },
        delete: { arguments, context in
            try operating(context) { try $0.deleteUser(arguments.uid) }
            try context.print(["uid": arguments.uid], lines: ["\(arguments.uid) is deleted."])
        }
    )

    private static func line(_ user: UserReport) -> String {
        let marks = [
            user.isAdministrator ? "administrator" : nil,
            user.contestedAt != nil ? "contested" : user.isDisabled ? "disabled" : nil,
        ].compactMap(\.self)
        return ([user.uid, user.email ?? (user.isAnonymous ? "guest" : "–"), "since \(user.createdAt)"] + marks)
            .joined(separator: "  ")
    }

    private static func details(_ user: UserReport) -> [String] {
        [
            "UID          \(user.uid)",
            "Address      \(user.email ?? "none")\(user.email != nil && !user.emailVerified ? " (not confirmed)" : "")",
            "Kind         \(user.isAnonymous ? "guest" : "permanent")\(user.isDisabled ? ", disabled" : "")"
                + (user.isAdministrator ? ", administrator" : ""),
            "Ways in      \(user.providers.isEmpty ? "none" : user.providers.joined(separator: ", "))",
            "Created      \(user.createdAt)",
            "Last sign-in \(user.lastLoginAt)",
            "Last seen    \(user.lastRefreshAt)",
        ] + (user.contestedAt.map { ["Contested    since \($0) by \(user.contestedBy ?? "an old address")"] } ?? [])
    }

    static let administrators = administrators(
        list: { _, context in
            let uids = try operating(context) { try $0.administrators() }
            try context.print(uids, lines: uids.isEmpty ? ["No administrators."] : uids)
        },
        add: { arguments, context in
            try operating(context) { try $0.setAdministrator(true, arguments.uid) }
            try context.print(["uid": arguments.uid], lines: ["\(arguments.uid) is an administrator now."])
        },
        remove: { arguments, context in
            try operating(context) { try $0.setAdministrator(false, arguments.uid) }
            try context.print(["uid": arguments.uid], lines: ["\(arguments.uid) is no administrator any more."])
        }
    )

    static let checkConfiguration = checkConfiguration { _, context in
        do {
            let configuration = try Configuration.load(
                file: context.configurationFile,
                environment: context.settings
            )
            let warnings = configuration.warnings
            try context.print(
                CheckedConfiguration(mode: configuration.mode.rawValue, warnings: warnings),
                lines: warnings.map { "Warning: \(Terminal.plain($0))" } + ["The configuration is good."]
            )
        } catch {
            throw Failure(operating: error)
        }
    }
}

/// What `latchkey check-config --json` prints of a configuration that can be used.
private struct CheckedConfiguration: Encodable {
    let mode: String
    let warnings: [String]
}
