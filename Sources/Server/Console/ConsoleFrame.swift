internal import Accounts
internal import HTTPServer
internal import Mail
internal import Tokens

/// The sections of the console's navigation.
enum ConsoleSection: String, CaseIterable {
    case overview = "Overview"
    case users = "Users"
    case mail = "Mail"
    case cleanup = "Clean-up"
    case refused = "Refused"
    case audit = "Audit"
    case configuration = "Configuration"

    var path: String {
        switch self {
        case .overview: ConsolePath.front
        case .users: ConsolePath.users
        case .mail: ConsolePath.mail
        case .cleanup: ConsolePath.cleanup
        case .refused: ConsolePath.refused
        case .audit: ConsolePath.audit
        case .configuration: ConsolePath.configuration
        }
    }
}

/// What is around the content of a page of the console: the navigation, and the person who is signed in.
struct ConsoleFrame: Sendable {
    let services: Services
    let visit: ConsoleVisit
    let caller: ConsoleCaller
    let section: ConsoleSection

    /// The token of every form on the page.
    var formToken: String {
        get throws {
            guard let session = visit.session else { throw Refusal(.originNotAllowed) }
            return try FormToken.make(for: session, secrets: services.secrets)
        }
    }

    /// A form with one button.
    ///
    /// - Parameters:
    ///   - path: where it is sent.
    ///   - label: the button's text.
    ///   - style: the button's classes.
    ///   - fields: hidden fields.
    ///   - inner: what stands before the button.
    func form(
        _ path: String,
        _ label: String,
        style: String = "",
        fields: [(String, String)] = [],
        inner: Markup = ""
    ) throws -> Markup {
        let hidden = fields.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">" as Markup }.joined()
        return """
            <form method="post" action="\(path)"><input type="hidden" name="formToken" value="\(try formToken)">\(hidden)\(inner)<button \
            class="\(style)">\(label)</button></form>
            """
    }

    /// Renders a page that asks whether to do something.
    ///
    /// - Parameters:
    ///   - label: the text of the button.
    ///   - lead: what it is done to.
    ///   - points: what will happen, one sentence for each consequence.
    ///   - form: the form.
    ///   - back: the path of the page to which a cancellation leads.
    ///   - isCounting: whether numbers are missing that are being counted.
    func question(
        _ label: String,
        about lead: String,
        _ points: [String],
        form: Markup,
        back: String,
        isCounting: Bool = false
    ) throws -> Response {
        let items = points.map { "<li>\($0)</li>" as Markup }.joined()
        return try page(
            "confirm",
            title: label,
            ["heading": "\(label)?", "lead": lead],
            parts: [
                "points": isCounting
                    ? "<ul id=\"points\" class=\"points\" data-counting>\(items)</ul>"
                    : "<ul id=\"points\" class=\"points\">\(items)</ul>",
                "form": form, "back": .link("Cancel", to: back),
            ],
            isCounting: isCounting
        )
    }

    /// Renders a page with the navigation.
    ///
    /// - Parameters:
    ///   - name: the template's file name without its extension.
    ///   - title: the page's title.
    ///   - texts: the values of its placeholders, which are escaped.
    ///   - parts: the values of its raw placeholders.
    ///   - isCounting: whether some numbers are still being counted. The page then loads itself again. With
    ///     JavaScript it replaces only the elements with `data-counting`.
    ///   - status: the HTTP status.
    func page(
        _ name: String,
        title: String,
        _ texts: [String: String] = [:],
        parts: [String: Markup] = [:],
        isCounting: Bool = false,
        status: Int = 200
    ) throws -> Response {
        let links = ConsoleSection.allCases.map { item -> Markup in
            item == section
                ? "<li><a href=\"\(item.path)\" aria-current=\"page\">\(item.rawValue)</a></li>"
                : "<li><a href=\"\(item.path)\">\(item.rawValue)</a></li>"
        }
        var person = "<p><bdi>\(caller.name)</bdi></p>" as Markup
        if caller.isReadOnly { person = "<p><bdi>\(caller.name)</bdi>\(.badge("read-only"))</p>" }
        if caller.signedInAt != nil {
            person = person + (try form(ConsolePath.signOut, "Sign out", style: "quiet small"))
        }
        var response = services.consolePage(
            name,
            title: title,
            texts,
            parts: parts,
            navigation:
                "<nav aria-label=\"Console\"><ul>\(links.joined())</ul></nav><div class=\"person\">\(person)</div>",
            head: isCounting ? "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>" : "",
            status: status
        )
        if let cookie = visit.cookie { response.headers.append(cookie) }
        return response
    }
}

extension Services {
    static let consolePolicy: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
    ]

    /// Renders a page of the console.
    func consolePage(
        _ name: String,
        title: String,
        _ texts: [String: String] = [:],
        parts: [String: Markup] = [:],
        navigation: Markup = "",
        head: Markup = "",
        status: Int = 200
    ) -> Response {
        guard
            let html = try? pages.templates.console.render(
                name,
                title: title,
                appName: pages.brand.name,
                texts,
                parts: parts,
                navigation: navigation,
                head: head
            )
        else { return .text(status: 500, "This page cannot be shown.") }
        var response = Response.html(status: status, html)
        response.headers += Self.consolePolicy
        return response
    }

    /// Redirects within the console.
    func consoleRedirect(to path: String) -> Response {
        var response = Response.redirect(to: path)
        response.headers += Self.consolePolicy
        return response
    }
}
