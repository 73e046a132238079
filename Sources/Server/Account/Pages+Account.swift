internal import Accounts
internal import HTTPServer
internal import Mail

// The account page and the pages that its forms lead to. The templates escape all values.
extension Pages {
    /// Shows the account.
    ///
    /// - Parameters:
    ///   - overview: the account.
    ///   - formToken: what the forms are bound to the browser session with.
    ///   - locale: the language.
    ///   - timeZone: the time zone of the times; UTC for `nil`.
    func account(_ overview: AccountOverview, formToken: String, locale: String, timeZone: String?) -> Response {
        let user = overview.user
        let values = [
            "formToken": formToken,
            // The address has a section of its own.
            "account": user.displayName ?? (user.email == nil ? accountName(of: user, locale: locale) : ""),
            "name": overview.username.map { "@\($0)" } ?? "",
            "notice": user.isAnonymous ? accountText(.accountGuestNotice, locale) : "",
            "address": address(of: user, formToken, locale),
            "methods": methods(of: overview, locale, timeZone),
            "sessions": sessions(of: overview, formToken, locale, timeZone),
        ]
        return page("account", locale: locale, values)
    }

    /// Shows that an e-mail with a link is on its way to the user's new address.
    func accountEmailSent(to newEmail: EmailAddress, locale: String) -> Response {
        page("account-sent", locale: locale, ["email": newEmail.displayForm])
    }

    /// Says what the deletion of a user's account does, and asks to confirm it.
    func askToDelete(_ user: User, formToken: String, locale: String) -> Response {
        let values = ["formToken": formToken, "account": accountName(of: user, locale: locale)]
        return page("account-delete", locale: locale, values)
    }

    /// Asks the user to sign in again, because a change needs a recent sign-in.
    func askToConfirmSignIn(formToken: String, locale: String) -> Response {
        page("account-confirm", locale: locale, ["formToken": formToken], status: 403)
    }

    /// A page with one message and the way back to the account.
    func accountMessage(_ message: PageMessage, locale: String, status: Int) -> Response {
        let values = ["title": accountText(message.title, locale), "message": accountText(message.message, locale)]
        return page("account-message", locale: locale, values, status: status)
    }

    /// The name of the app in the texts of the account page.
    private var nameOfApp: String { brand.name }

    /// A text of the account page in a language.
    func accountText(_ text: PageText, _ locale: String) -> String {
        (try? templates.text(text, locale: locale, ["appName": nameOfApp])) ?? ""
    }

    /// The display form of an address, in full: the page shows it to the user whose address it is.
    func accountAddress(_ canonical: String) -> String {
        (try? EmailAddress(parsing: canonical))?.displayForm ?? canonical
    }

    /// Renders a part of the account page; empty if it cannot be rendered, which the check at the start excludes.
    func accountPart(_ name: String, _ locale: String, _ values: [String: String]) -> String {
        let values = values.merging(["appName": nameOfApp]) { $1 }
        return (try? templates.fragment(name, locale: locale, values)) ?? ""
    }

    /// What a user's account is called on the page: the address, or else the name.
    func accountName(of user: User, locale: String) -> String {
        if let email = user.email { return accountAddress(email) }
        if user.isAnonymous { return accountText(.accountGuestName, locale) }
        guard let name = user.displayName, !name.isEmpty else { return accountText(.accountUnnamed, locale) }
        return name
    }

    /// The user's address with the form that changes it; empty without an address.
    private func address(of user: User, _ formToken: String, _ locale: String) -> String {
        guard let email = user.email else { return "" }
        let values = [
            "formToken": formToken, "email": accountAddress(email),
            "state": user.emailVerifiedAt == nil ? accountText(.accountUnproven, locale) : "",
        ]
        return accountPart("account-address", locale, values)
    }

    /// The user's sign-in methods, each with the time since when it is one.
    private func methods(of overview: AccountOverview, _ locale: String, _ timeZone: String?) -> String {
        let user = overview.user
        var rows: [(name: String, detail: String, since: Int64)] = []
        if let email = user.email, user.emailLinkAt != nil {
            let name = accountText(.accountMethodEmail, locale)
            rows.append((name, accountAddress(email), user.emailVerifiedAt ?? user.createdAt))
        }
        for linked in overview.identities {
            let identity = linked.identity
            let detail = identity.email.map(accountAddress) ?? identity.displayName ?? ""
            rows.append((MethodName.of(identity.provider), detail, linked.linkedAt))
        }
        if let since = user.customAuthAt { rows.append((accountText(.accountMethodCustom, locale), "", since)) }
        return rows.map { row in
            let time = templates.times(locale: locale).text(row.since, in: timeZone)
            let values = ["method": row.name, "detail": row.detail, "time": time]
            return accountPart("account-method", locale, values)
        }.joined()
    }

    /// The user's sessions, each with the form that ends it, except the one with which a guest opened the page.
    private func sessions(
        of overview: AccountOverview,
        _ formToken: String,
        _ locale: String,
        _ timeZone: String?
    ) -> String {
        overview.listed.sessions.map { session in
            let isCurrent = session.sid == overview.listed.current
            let name = device(session.device, locale)
            let end =
                isCurrent && overview.user.isAnonymous
                ? ""
                : accountPart(
                    "account-end-session",
                    locale,
                    ["formToken": formToken, "session": session.sid, "device": name]
                )
            let values = [
                "device": name, "time": time(session.lastUsedAt, in: timeZone, locale),
                "current": isCurrent ? accountText(.accountSessionCurrent, locale) : "", "end": end,
            ]
            return accountPart("account-session", locale, values)
        }.joined()
    }
}
