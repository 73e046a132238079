internal import HTTPServer

extension Services {
    /// Adds the route of latchkey.js, which web pages of any origin may read: the newest version, and each version by
    /// its number.
    func addWebClient(to router: inout Router) {
        var files: [String: PublishedFile] = [:]
        for release in WebClientRelease.all {
            files[release.name] = PublishedFile(release, keptFor: .ever)
            files[WebClientRelease.newestName] = PublishedFile(release, keptFor: .minutes)
            files[release.archiveName] = PublishedFile(archive: release.archive)
        }
        let handler: Handler = { [files] request in
            guard let file = files[request.parameters["file"] ?? ""] else { throw RequestError.notFound }
            return .response(file.response(to: request))
        }
        router.add(.get, "\(WebClientRelease.folder){file}", isPublished: true, guarded(handler))
    }
}

/// A file of latchkey.js as the server sends it.
private struct PublishedFile: Sendable {
    /// How long caches may keep a file.
    enum Life: String {
        /// A file whose content never changes.
        case ever = "public, max-age=31536000, immutable"
        /// The newest version, which the next server may replace.
        case minutes = "public, max-age=300"
    }

    private let plain: Response
    /// The compressed forms, the smallest first, by the name of their encoding.
    private let compressed: [(encoding: String, response: Response)]

    /// A module, which is sent compressed to browsers that accept it.
    init(_ release: WebClientRelease, keptFor life: Life) {
        func response(_ body: [UInt8], _ encoding: String) -> Response {
            Response(
                headers: [
                    ("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", life.rawValue),
                    ("Content-Encoding", encoding), ("Vary", "Accept-Encoding"),
                    ("Cross-Origin-Resource-Policy", "cross-origin"), ("X-Content-Type-Options", "nosniff"),
                ],
                body: body
            ).prepared()
        }
        plain = response(release.module, "")
        compressed = [("br", response(release.brotli, "br")), ("gzip", response(release.gzip, "gzip"))]
    }

    /// An npm package.
    init(archive: [UInt8]) {
        plain = Response(
            headers: [("Content-Type", "application/gzip"), ("Cache-Control", Life.ever.rawValue)],
            body: archive
        ).prepared()
        compressed = []
    }

    func response(to request: Request) -> Response {
        guard !compressed.isEmpty else { return plain }
        let accepted = AcceptedEncodings(request.header("Accept-Encoding") ?? "")
        return compressed.first { accepted.contains($0.encoding) }?.response ?? plain
    }
}
