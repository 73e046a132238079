internal import Server

extension Command {
    /// `latchkey sdk`: prints where web pages get latchkey.js, and its integrity hash.
    static let sdk = Command(
        name: "sdk",
        summary: "Show the addresses of latchkey.js, the client for web pages",
        discussion: """
            Each server publishes latchkey.js for web pages of any origin. The file with a version in its name never \
            changes, so a page may name its hash.
            """,
        options: [.config, .publicURL, .json],
        examples: ["latchkey sdk --public-url https://auth.example.com"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let releases: [PublishedWebClient]
            do {
                let configuration = try Configuration.load(
                    file: context.configurationFile,
                    environment: context.settings,
                    secrets: .none
                )
                let server = configuration.publicURL ?? "http://\(configuration.listen)"
                releases = try WebClientRelease.all.map { try PublishedWebClient($0, at: server) }
            } catch {
                throw Failure(operating: error)
            }
            guard let newest = releases.last else {
                throw Failure("This program contains no latchkey.js.", code: "no-web-client")
            }
            try context.print(
                releases,
                lines: [
                    "Version    \(newest.version)",
                    "Module     \(newest.url)",
                    "Integrity  \(newest.integrity)",
                    "npm        npm install \(newest.packageURL)",
                    "",
                    "In a page:",
                    "  <link rel=\"modulepreload\" href=\"\(newest.url)\" integrity=\"\(newest.integrity)\" crossorigin>",
                    "  <script type=\"module\">",
                    "    import { createLatchkey } from \"\(newest.url)\";",
                    "    const auth = createLatchkey({ url: \"\(newest.server)\" });",
                    "  </script>",
                ]
            )
        }
    )
}

/// A version of latchkey.js, and where a server publishes it.
private struct PublishedWebClient: Encodable {
    let version: String
    let server: String
    let url: String
    let integrity: String
    let packageURL: String

    init(_ release: WebClientRelease, at server: String) throws {
        version = release.version
        self.server = server
        url = server + release.path
        integrity = try release.integrity()
        packageURL = server + release.archivePath
    }
}
