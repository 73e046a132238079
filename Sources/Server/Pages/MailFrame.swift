internal import HTTPServer

/// An e-mail's HTML as a document for a frame or a tab.
enum MailFrame {
    /// Returns the document.
    ///
    /// It allows styles, images and links that open new windows, but no scripts. The frame's own origin lets the page
    /// around it measure its height.
    ///
    /// - Parameters:
    ///   - html: the e-mail's HTML.
    ///   - scheme: `light` or `dark` shows the e-mail as in that scheme; `nil` as in the browser's own.
    ///   - images: where images may come from, as in a content security policy.
    static func response(_ html: String, scheme: String?, images: String) -> Response {
        var response = Response.html(shown(html, in: scheme))
        response.headers += [
            (
                name: "Content-Security-Policy",
                value: "default-src 'none'; style-src 'unsafe-inline'; img-src \(images); frame-ancestors 'self'; "
                    + "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
            ),
            (name: "Cache-Control", value: "no-store"), (name: "Referrer-Policy", value: "no-referrer"),
            (name: "X-Content-Type-Options", value: "nosniff"),
        ]
        return response
    }

    /// Replaces the questions for the browser's scheme by a fixed answer.
    private static func shown(_ html: String, in scheme: String?) -> String {
        let other: String
        switch scheme {
        case "light": other = "dark"
        case "dark": other = "light"
        default: return html
        }
        let chosen = scheme ?? ""
        return html.replacing("(prefers-color-scheme: \(chosen))", with: "all")
            .replacing("(prefers-color-scheme: \(other))", with: "not all")
            .replacing("color-scheme: light dark", with: "color-scheme: \(chosen)")
            .replacing("content=\"light dark\"", with: "content=\"\(chosen)\"")
    }
}
