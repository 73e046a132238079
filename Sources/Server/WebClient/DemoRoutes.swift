internal import HTTPServer
internal import Mail

extension Services {
    /// Adds the demo at `/demo`, in development: a small app on latchkey.js that shows all that the server is for.
    func addDemo(to router: inout Router) {
        guard configuration.mode == .development else { return }
        let files = EmbeddedFiles.below("Sources/WebClient/demo/")
        var responses: [String: Response] = [:]
        for (name, bytes) in files {
            guard let type = name.split(separator: ".").last.flatMap({ Self.demoTypes[String($0)] }) else { continue }
            responses[name] = Response(
                headers: [
                    ("Content-Type", "\(type); charset=utf-8"), ("Cache-Control", "no-cache"),
                    ("Content-Security-Policy", Self.demoPolicy), ("Referrer-Policy", "no-referrer"),
                    ("X-Content-Type-Options", "nosniff"),
                ],
                body: bytes
            ).prepared()
        }
        let handler: Handler = { [responses] request in
            guard let response = responses[request.parameters["file"] ?? "index.html"] else {
                throw RequestError.notFound
            }
            return .response(response)
        }
        router.add(.get, "/demo", guarded(handler))
        router.add(.get, "/demo/{file}", guarded(handler))
    }

    private static let demoTypes = ["html": "text/html", "css": "text/css", "js": "text/javascript"]

    /// The strictest policy under which an app on latchkey.js works: scripts and connections of its own origin, and no
    /// inline script or style.
    private static let demoPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
