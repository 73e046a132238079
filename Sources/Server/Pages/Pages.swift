internal import Accounts
internal import HTTPServer
internal import Tokens

/// What people see in a browser, as responses.
///
/// Every page forbids scripts, frames, caching and referrers, sets no cookie and works without JavaScript.
struct Pages: Sendable {
    let templates: PageTemplates
    let appName: String
    /// How long a sign-in link and its code work after their e-mail has left, in minutes.
    let signInLinkMinutes: Int64

    private static let policy: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    /// The stylesheet.
    var style: Response {
        Response(
            headers: [
                (name: "Content-Type", value: "text/css; charset=utf-8"),
                (name: "Cache-Control", value: "max-age=3600"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: templates.style
        )
    }

    /// What stands at the root.
    func landing(locale: String) -> Response {
        page("landing", locale: locale)
    }

    /// Sends the browser to an allowed URL, telling nobody where it came from.
    func redirect(to url: String) -> Response {
        var response = Response.redirect(to: url)
        response.headers += Self.policy
        return response
    }

    /// The page of a sign-in link.
    ///
    /// - Parameters:
    ///   - status: what it has to show.
    ///   - link: the link.
    ///   - now: milliseconds since 1970.
    ///   - isMistyped: whether to ask for the digits once more.
    func show(_ status: SignInLinkStatus, _ link: PageLink, at now: Int64, isMistyped: Bool = false) -> Response {
        switch status {
        case .awaitsApproval(let ticket, let notes):
            return page("approve", link, about: ticket, approveTexts(notes, link.locale, isMistyped: isMistyped))
        case .showsCode(let ticket, let digits, let notes):
            return page("code", link, about: ticket, texts(notes, link.locale).merging(["code": digits]) { $1 })
        case .pausesCodes(let ticket, let end, let notes):
            let seconds = max(1, (end - now + 999) / 1000)
            var response = page("codes-paused", link, about: ticket, texts(notes, link.locale), status: 429)
            response.headers.append((name: "Retry-After", value: String(seconds)))
            return response
        case .approved(let ticket): return page("approved", link, about: ticket)
        case .expired(let ticket, canResend: true), .gone(let ticket, canResend: true):
            return page("expired", link, about: ticket, status: 410)
        case .expired(let ticket, canResend: false), .gone(let ticket, canResend: false):
            return page("expired-no-resend", link, about: ticket, status: 410)
        case .unknown: return page("expired-no-resend", locale: link.locale, status: 410)
        }
    }

    /// What a page says beside its main content.
    private func texts(_ notes: SignInLinkNotes, _ locale: String) -> [String: String] {
        [
            "alert": notes.hasOtherRequests ? text("otherRequests", locale) : "",
            "notice": notes.meetsAccount ? text("meetsAccount", locale) : "",
        ]
    }

    /// What the page that asks for digits says beside its main content.
    private func approveTexts(_ notes: SignInLinkNotes, _ locale: String, isMistyped: Bool) -> [String: String] {
        let alerts = [
            isMistyped ? text("approveDigitsFormat", locale) : nil,
            notes.hasOtherRequests ? text("otherRequestsApprove", locale) : nil,
        ]
        return texts(notes, locale).merging(["alert": alerts.compactMap(\.self).joined(separator: " ")]) { $1 }
    }

    /// What came of a form on the page of a sign-in link.
    func show(_ answer: SignInLinkAnswer, _ link: PageLink, at now: Int64) -> Response {
        switch answer {
        case .approved(let ticket): page("approved", link, about: ticket)
        case .denied(let ticket): page("denied", link, about: ticket)
        case .wrongDigits(let ticket): page("wrong-digits", link, about: ticket, status: 403)
        case .resent(let ticket): page("resent", link, about: ticket)
        case .mistyped(let status): show(status, link, at: now, isMistyped: true)
        case .stale(let status): show(status, link, at: now)
        }
    }

    /// Asks to confirm what another link is for.
    ///
    /// Browsers hold a form's redirect to the policy too, so the URL that it will lead to has to be in it.
    func ask(_ question: ActionQuestion, _ link: PageLink, leadingTo continueURL: String?) -> Response {
        let code = question.code
        let name =
            switch code.purpose {
            case .emailSignIn, .verifyEmail: "confirm-verify-email"
            case .verifyAndChangeEmail: "confirm-change-email"
            case .recoverEmail, .revertMethodChange: question.isContest ? "confirm-contest" : "confirm-recover-email"
            }
        return page(
            name,
            locale: link.locale,
            [
                "oobCode": link.wireCode, "email": display(code.email),
                "newEmail": display(code.newEmail ?? code.email),
                "account": question.account ?? text("accountUnknown", link.locale),
                "device": device(code.device, link.locale), "time": Timestamp.minute(milliseconds: code.createdAt),
            ],
            formTarget: continueURL.flatMap { Origin.parse($0)?.origin.text }
        )
    }

    /// What another link has done.
    func show(_ applied: AppliedAction, _ link: PageLink) -> Response {
        let name =
            switch applied.purpose {
            case .emailSignIn, .verifyEmail: "done-verify-email"
            case .verifyAndChangeEmail: "done-change-email"
            case .recoverEmail, .revertMethodChange: applied.isContest ? "done-contest" : "done-recover-email"
            }
        return page(
            name,
            locale: link.locale,
            ["email": display(applied.email), "newEmail": display(applied.email)]
        )
    }

    /// Asks whether to take a change of sign-in methods back.
    func confirm(_ change: RevertibleChange, _ link: PageLink) -> Response {
        let locale = link.locale
        return page(
            "confirm-revert-change",
            locale: locale,
            [
                "oobCode": link.wireCode,
                "message": text(change.isAddition ? "revertChangeAdded" : "revertChangeRemoved", locale),
                "methods": MethodName.list(change.named),
                "device": device(change.named.first?.device, locale),
                "time": Timestamp.minute(milliseconds: change.code.createdAt),
            ]
        )
    }

    /// What came of taking a change of sign-in methods back.
    func show(_ reverted: RevertedChange, _ link: PageLink) -> Response {
        let notice = reverted.lacksMethod ? text("revertChangeNotRestored", link.locale) : ""
        return page("done-revert-change", locale: link.locale, ["notice": notice])
    }

    /// Says that a mail's link no longer works, because its reader did not ask for the mail.
    func deniedAction(_ link: PageLink) -> Response {
        page("denied-email", locale: link.locale)
    }

    /// Another account has the address that a recovery link would restore.
    func addressTaken(locale: String) -> Response {
        message("addressTaken", locale: locale, status: 409)
    }

    /// A link that could not do what it is for.
    func refused(_ refusal: Refusal, locale: String) -> Response {
        switch refusal.code {
        case .emailExists, .invalidEmail: page("wrong-address", locale: locale, status: 409)
        case .invalidOobCode, .expiredOobCode: page("expired-no-resend", locale: locale, status: 410)
        case .userDisabled: message("locked", locale: locale, status: 403)
        case .operationNotAllowed: message("operatorOnly", locale: locale, status: 403)
        case .tooManyAttempts: tooMany(refusal, locale: locale)
        default: message("error", locale: locale, status: 400)
        }
    }

    /// Too many attempts, and when to come back.
    private func tooMany(_ refusal: Refusal, locale: String) -> Response {
        var response = message("tooMany", locale: locale, status: 429)
        if let seconds = refusal.retryAfter {
            response.headers.append((name: "Retry-After", value: String(seconds)))
        }
        return response
    }

    /// A link that was cut off on its way, or made up.
    func unusableLink(locale: String) -> Response {
        message("badLink", locale: locale, status: 400)
    }

    /// Something that went wrong before any page was chosen.
    func error(status: Int, locale: String) -> Response {
        message(status == 429 ? "tooMany" : "error", locale: locale, status: status)
    }

    /// A page that says one thing, by the names of its two texts.
    private func message(_ name: String, locale: String, status: Int) -> Response {
        page(
            "error",
            locale: locale,
            ["title": text("\(name)Title", locale), "message": text("\(name)Message", locale)],
            status: status
        )
    }

    /// A text of the language.
    private func text(_ name: String, _ locale: String) -> String {
        (try? templates.text(name, locale: locale, ["appName": appName])) ?? ""
    }

    private func page(
        _ name: String,
        _ link: PageLink,
        about ticket: Ticket,
        _ values: [String: String] = [:],
        status: Int = 200
    ) -> Response {
        var values = values
        values["oobCode"] = link.wireCode
        values["continueUrl"] = link.continueURL ?? ""
        values["device"] = device(ticket.asking.name, link.locale)
        values["time"] = Timestamp.minute(milliseconds: ticket.createdAt)
        values["place"] = ticket.asking.place ?? ""
        values["minutes"] = String(signInLinkMinutes)
        values["email"] = display(ticket.email)
        return page(name, locale: link.locale, values, status: status)
    }

    /// A page as a response.
    ///
    /// A page that cannot be made, which the check at the start rules out, is a bare 500.
    func page(
        _ name: String,
        locale: String,
        _ values: [String: String] = [:],
        status: Int = 200,
        formTarget: String? = nil,
        additionalPolicy: String = ""
    ) -> Response {
        var values = values
        values["appName"] = appName
        guard let html = try? templates.render(name, locale: locale, values) else {
            return .text(status: 500, "This page cannot be shown.")
        }
        var response = Response.html(status: status, html)
        response.headers += Self.policy.map { field in
            guard field.name == "Content-Security-Policy" else { return field }
            let target = formTarget.map { " \($0)" } ?? ""
            return (field.name, field.value + "; form-action 'self'\(target)" + additionalPolicy)
        }
        return response
    }

    /// The name of a device, as people read it.
    private func device(_ name: String?, _ locale: String) -> String {
        guard let name, !name.isEmpty else { return text("deviceUnknown", locale) }
        return name
    }

    /// An address as people write it.
    private func display(_ canonical: String) -> String {
        (try? EmailAddress(parsing: canonical))?.displayForm ?? canonical
    }
}
