internal import HTTPServer
internal import Mail

/// The script of the console: it fetches pages without a full load.
enum ConsoleScript {
    static let response: Response = {
        Response(
            headers: [
                (name: "Content-Type", value: "text/javascript; charset=utf-8"),
                (name: "Cache-Control", value: "no-cache"), (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: EmbeddedFiles.below("Sources/WebClient/console/")["console.js"] ?? []
        ).prepared()
    }()
}
