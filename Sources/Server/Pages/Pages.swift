internal import Accounts
internal import HTTPServer
internal import Mail
internal import Tokens

/// The pages for people, as responses.
///
/// Every page forbids scripts, caching, referrers and being shown in a frame, sets no cookies and works without
/// JavaScript.
struct Pages: Sendable {
    let templates: PageTemplates
    /// The brand, with the app's name and URL.
    let brand: Brand
    /// The minutes for which a sign-in link and its code are valid after their e-mail was sent.
    let signInLinkMinutes: Int64
    /// Returns the present time in milliseconds since 1970.
    let clock: @Sendable () -> Int64

    /// Makes the pages of a configuration.
    init(_ configuration: Configuration, _ templates: PageTemplates, clock: @escaping @Sendable () -> Int64) {
        self.templates = templates
        brand = configuration.brand
        signInLinkMinutes = configuration.policy.signInLinkMinutes
        self.clock = clock
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
    var style: Response { Self.stylesheet(templates.style) }

    /// The response with the stylesheet of the console.
    var consoleStyle: Response { Self.stylesheet(templates.console.style) }

    private static func stylesheet(_ style: [UInt8]) -> Response {
        Response(
            headers: [
                (name: "Content-Type", value: "text/css; charset=utf-8"),
                (name: "Cache-Control", value: "max-age=3600"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: style
        )
    }

    /// The response with the brand's logo, which also web mail programs may show; `nil` if there is none.
    ///
    /// The policy keeps a drawing from running a script where a browser opens it as a document.
    var logo: Response? {
        brand.logo.map { logo in
            Response(
                headers: [
                    (name: "Content-Type", value: logo.format.mediaType),
                    (
                        name: "Content-Security-Policy",
                        value: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
                    ),
                    (name: "Cross-Origin-Resource-Policy", value: "cross-origin"),
                    (name: "Cache-Control", value: "max-age=3600"),
                    (name: "X-Content-Type-Options", value: "nosniff"),
                ],
                body: logo.bytes
            )
        }
    }

    /// Shows that there is no page at an address.
    func notFound(locale: String) -> Response {
        page("not-found", locale: locale, status: 404)
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
        case .expired(let ticket): return page("expired", link, about: ticket, resends: true, status: 410)
        case .used(let ticket, let session): return alreadySignedIn(ticket, session, link)
        case .signedOut(let ticket, let canResend):
            return page("link-used", link, about: ticket, resends: canResend, status: 410)
        case .denied(let ticket): return page("link-denied", link, about: ticket, status: 410)
        case .ended(let ticket, let canResend):
            return page("link-ended", link, about: ticket, resends: canResend, status: 410)
        case .replaced: return page("link-replaced", locale: link.locale, back: link.continueURL, status: 410)
        case .unknown: return page("link-expired", locale: link.locale, back: link.continueURL, status: 410)
        }
    }

    /// Shows that a link has signed a user in, with the device and the time of that sign-in.
    private func alreadySignedIn(_ ticket: Ticket, _ session: Session, _ link: PageLink) -> Response {
        let signIn = [
            "device": device(session.device, link.locale),
            "time": time(session.createdAt, in: ticket.asking.timeZone, link.locale),
        ]
        return page("already-signed-in", link, about: ticket, signIn, status: 410)
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
        case .wrongDigits(let ticket, _, let canResend):
            page("wrong-digits", link, about: ticket, resends: canResend, status: 403)
        case .resent(let ticket): page("resent", link, about: ticket)
        case .signedOut(let ticket, _): page("session-ended", link, about: ticket)
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
                "oobCode": link.wireCode, "email": EmailAddress.masked(code.email),
                "newEmail": EmailAddress.masked(code.newEmail ?? code.email),
                "account": question.account ?? text(.accountUnknown, link.locale),
                "device": device(code.device, link.locale),
                "time": time(code.createdAt, in: code.timeZone, link.locale),
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
            [
                "email": EmailAddress.masked(applied.email), "newEmail": EmailAddress.masked(applied.email),
            ],
            back: link.continueURL
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
                "time": time(change.code.createdAt, in: change.code.timeZone, locale),
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
        case .invalidOobCode: page("link-used", locale: locale, ["resend": ""], status: 410)
        case .expiredOobCode: page("link-expired", locale: locale, status: 410)
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
        (try? templates.text(text, locale: locale, ["appName": brand.name])) ?? ""
    }

    private func page(
        _ name: String,
        _ link: PageLink,
        about ticket: Ticket,
        _ values: [String: String] = [:],
        resends: Bool = false,
        status: Int = 200
    ) -> Response {
        let own = [
            "oobCode": link.wireCode,
            "continueUrl": link.continueURL ?? "",
            "device": device(ticket.asking.name, link.locale),
            "time": time(ticket.createdAt, in: ticket.asking.timeZone, link.locale),
            "place": ticket.asking.place ?? "",
            "minutes": String(signInLinkMinutes),
            "email": EmailAddress.masked(ticket.email),
            "openInApp": openInApp(link, requestID: ticket.id),
            "resend": resends ? part("resend", link.locale, ["oobCode": link.wireCode]) : "",
        ]
        return page(name, locale: link.locale, own.merging(values) { $1 }, back: link.continueURL, status: status)
    }

    /// Returns the HTML fragment that offers to open a sign-in link in the app, for the page behind the link.
    ///
    /// The fragment is empty if no app is configured for the device.
    private func openInApp(_ link: PageLink, requestID: String) -> String {
        guard let url = link.appURL(requestID: requestID) else { return "" }
        let hint = link.app == .apple ? text(.openInAppHint, link.locale) : ""
        return part("open-in-app", link.locale, ["link": url, "hint": hint])
    }

    /// A part of a page.
    private func part(_ name: String, _ locale: String, _ values: [String: String]) -> String {
        (try? templates.fragment(name, locale: locale, values.merging(["appName": brand.name]) { $1 })) ?? ""
    }

    /// Renders a page as a response.
    ///
    /// A page that cannot be rendered, which the check at the start excludes, becomes a bare 500.
    ///
    /// - Parameters:
    ///   - name: the page's file name without its extension.
    ///   - locale: the language; the default language if it is not available.
    ///   - values: the values of the page's placeholders but `appName` and `back`.
    ///   - back: the allowed URL to which the page leads back; `nil` for the app's own, if the brand has one.
    ///   - status: the HTTP status.
    ///   - formTarget: another origin to which the response to the page's form may redirect; `nil` for none.
    ///   - additionalPolicy: text to append to the content security policy.
    func page(
        _ name: String,
        locale: String,
        _ values: [String: String] = [:],
        back: String? = nil,
        status: Int = 200,
        formTarget: String? = nil,
        additionalPolicy: String = ""
    ) -> Response {
        var values = values
        values["appName"] = brand.name
        values["back"] = (back ?? brand.appURL).map { part("back", locale, ["link": $0]) } ?? ""
        guard let html = try? templates.render(name, locale: locale, values) else {
            return .text(status: 500, "This page cannot be shown.")
        }
        var response = Response.html(status: status, html)
        response.headers += Self.policy.map { field in
            guard field.name == "Content-Security-Policy" else { return field }
            let target = formTarget.map { " \($0)" } ?? ""
            let images = brand.logo == nil ? "" : "; img-src 'self'"
            return (field.name, field.value + "; form-action 'self'\(target)" + images + additionalPolicy)
        }
        return response
    }

    /// A time for people, and how long ago it was.
    private func time(_ milliseconds: Int64, in zone: String?, _ locale: String) -> String {
        templates.times(locale: locale).text(milliseconds, in: zone, asOf: clock())
    }

    /// The name of a device for people.
    private func device(_ name: String?, _ locale: String) -> String {
        guard let name, !name.isEmpty else { return text(.deviceUnknown, locale) }
        return name
    }
}
