internal import Accounts
internal import HTTPServer
internal import Tokens

/// The pages for people, as responses.
///
/// Every page forbids scripts, caching, referrers and being shown in a frame, sets no cookies and works without
/// JavaScript.
struct Pages: Sendable {
    let templates: PageTemplates
    let appName: String
    /// The minutes for which a sign-in link and its code are valid after their e-mail was sent.
    let signInLinkMinutes: Int64

    /// Makes the pages of a configuration.
    init(_ configuration: Configuration, _ templates: PageTemplates) {
        self.templates = templates
        appName = configuration.appName
        signInLinkMinutes = configuration.policy.signInLinkMinutes
    }

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

    /// The response with the stylesheet of all pages, which caches may store for an hour.
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

    /// The page at the root.
    func landing(locale: String) -> Response {
        page("landing", locale: locale)
    }

    /// Redirects the browser to a URL, which the caller has checked, without sending a referrer.
    func redirect(to url: String) -> Response {
        var response = Response.redirect(to: url)
        response.headers += Self.policy
        return response
    }

    /// Shows the page of a sign-in link.
    ///
    /// - Parameters:
    ///   - status: the state of the link.
    ///   - link: the link.
    ///   - now: milliseconds since 1970.
    ///   - isMistyped: whether to ask for the digits again.
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

    /// The values of the placeholders `alert` and `notice`: notes that other sign-in requests for the address are open,
    /// and that the address of a guest's request has an account already; each empty if it does not apply.
    private func texts(_ notes: SignInLinkNotes, _ locale: String) -> [String: String] {
        [
            "alert": notes.hasOtherRequests ? text(.otherRequests, locale) : "",
            "notice": notes.meetsAccount ? text(.meetsAccount, locale) : "",
        ]
    }

    /// The values of `alert` and `notice` as in ``texts(_:_:)``, for the page that asks for digits; `alert` also says
    /// when the digits were mistyped.
    private func approveTexts(_ notes: SignInLinkNotes, _ locale: String, isMistyped: Bool) -> [String: String] {
        let alerts = [
            isMistyped ? text(.approveDigitsFormat, locale) : nil,
            notes.hasOtherRequests ? text(.otherRequestsApprove, locale) : nil,
        ]
        return texts(notes, locale).merging(["alert": alerts.compactMap(\.self).joined(separator: " ")]) { $1 }
    }

    /// Shows the result of a form on a sign-in link's page.
    func show(_ answer: SignInLinkAnswer, _ link: PageLink, at now: Int64) -> Response {
        switch answer {
        case .approved(let ticket): page("approved", link, about: ticket)
        case .denied(let ticket): page("denied", link, about: ticket)
        case .wrongDigits(let ticket, _): page("wrong-digits", link, about: ticket, status: 403)
        case .resent(let ticket): page("resent", link, about: ticket)
        case .mistyped(let status): show(status, link, at: now, isMistyped: true)
        case .stale(let status): show(status, link, at: now)
        }
    }

    /// Shows the page that asks to confirm the action of a link that does not sign in, such as a change of address.
    ///
    /// Browsers apply the content security policy's `form-action` to the redirect after the form too, so it contains
    /// the origin of `continueURL`, if there is one.
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
                "account": question.account ?? text(.accountUnknown, link.locale),
                "device": device(code.device, link.locale), "time": Timestamp.minute(milliseconds: code.createdAt),
            ],
            formTarget: continueURL.flatMap { Origin.parse($0)?.origin.text }
        )
    }

    /// Shows the result of a link that does not sign in: an address was verified, changed or restored, or the account
    /// is contested.
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

    /// Asks whether to revert a change of sign-in methods.
    func confirm(_ change: RevertibleChange, _ link: PageLink) -> Response {
        let locale = link.locale
        return page(
            "confirm-revert-change",
            locale: locale,
            [
                "oobCode": link.wireCode,
                "message": text(change.isAddition ? .revertChangeAdded : .revertChangeRemoved, locale),
                "methods": MethodName.list(change.named),
                "device": device(change.named.first?.device, locale),
                "time": Timestamp.minute(milliseconds: change.code.createdAt),
            ]
        )
    }

    /// Shows the result of reverting a change of sign-in methods.
    func show(_ reverted: RevertedChange, _ link: PageLink) -> Response {
        let notice = reverted.lacksMethod ? text(.revertChangeNotRestored, link.locale) : ""
        return page("done-revert-change", locale: link.locale, ["notice": notice])
    }

    /// Shows that an e-mail's link no longer works, because the reader answered that they did not request the e-mail.
    func deniedAction(_ link: PageLink) -> Response {
        page("denied-email", locale: link.locale)
    }

    /// Shows that another account has the address that a recovery link would restore.
    func addressTaken(locale: String) -> Response {
        message(.addressTaken, locale: locale, status: 409)
    }

    /// Shows why a link or a form on its page was refused, such as because the link has expired or a limit is used up.
    func refused(_ refusal: Refusal, locale: String) -> Response {
        switch refusal.code {
        case .emailExists, .invalidEmail: page("wrong-address", locale: locale, status: 409)
        case .invalidOobCode, .expiredOobCode: page("expired-no-resend", locale: locale, status: 410)
        case .userDisabled: message(.locked, locale: locale, status: 403)
        case .operationNotAllowed: message(.operatorOnly, locale: locale, status: 403)
        case .tooManyAttempts: tooMany(refusal, locale: locale)
        default: message(.error, locale: locale, status: 400)
        }
    }

    /// Shows that there were too many attempts, and when to try again.
    private func tooMany(_ refusal: Refusal, locale: String) -> Response {
        var response = message(.tooMany, locale: locale, status: 429)
        if let seconds = refusal.retryAfter {
            response.headers.append((name: "Retry-After", value: String(seconds)))
        }
        return response
    }

    /// Shows that a link is truncated or forged, or that a form does not fit its link.
    func unusableLink(locale: String) -> Response {
        message(.badLink, locale: locale, status: 400)
    }

    /// Shows an error that is no ``Refusal``: too many attempts for status 429, otherwise a general message.
    func error(status: Int, locale: String) -> Response {
        message(status == 429 ? .tooMany : .error, locale: locale, status: status)
    }

    /// A page with one message.
    private func message(_ message: PageMessage, locale: String, status: Int) -> Response {
        page(
            "error",
            locale: locale,
            ["title": text(message.title, locale), "message": text(message.message, locale)],
            status: status
        )
    }

    /// A text in a language.
    private func text(_ text: PageText, _ locale: String) -> String {
        (try? templates.text(text, locale: locale, ["appName": appName])) ?? ""
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
        values["openInApp"] = openInApp(link, requestID: ticket.id)
        return page(name, locale: link.locale, values, status: status)
    }

    /// The part of a sign-in link's page that offers to open the link in the app; empty if there is no app.
    private func openInApp(_ link: PageLink, requestID: String) -> String {
        guard let url = link.appURL(requestID: requestID) else { return "" }
        let hint = link.app == .apple ? text(.openInAppHint, link.locale) : ""
        let values = ["link": url, "hint": hint, "appName": appName]
        return (try? templates.fragment("open-in-app", locale: link.locale, values)) ?? ""
    }

    /// Renders a page as a response.
    ///
    /// A page that cannot be rendered, which the check at the start excludes, becomes a bare 500.
    ///
    /// - Parameters:
    ///   - name: the page's file name without its extension.
    ///   - locale: the language; the default language if it is not available.
    ///   - values: the values of the page's placeholders but `appName`.
    ///   - status: the HTTP status.
    ///   - formTarget: another origin to which the response to the page's form may redirect; `nil` for none.
    ///   - additionalPolicy: text to append to the content security policy.
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

    /// The name of a device for people.
    private func device(_ name: String?, _ locale: String) -> String {
        guard let name, !name.isEmpty else { return text(.deviceUnknown, locale) }
        return name
    }

    /// The display form of an address.
    private func display(_ canonical: String) -> String {
        (try? EmailAddress(parsing: canonical))?.displayForm ?? canonical
    }
}
