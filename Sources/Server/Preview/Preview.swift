internal import Accounts
internal import FoundationEssentials
internal import HTTPServer
internal import JSON
internal import Mail
internal import Synchronization

/// A server on this machine that shows every page and e-mail in every state, with the operator's brand and templates.
///
/// It opens no database, and everything it shows is made up. It reads changed templates again, so that operators see an
/// edit when they load a page again.
package final class Preview: Sendable {
    /// The address, such as `http://127.0.0.1:9098`.
    package let url: String
    /// What the operator should know of their templates and their brand, such as a color that was corrected.
    package let warnings: [String]
    private let server: HTTPServer.Server

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - configuration: contains the brand, the folder of templates and the default language.
    ///   - listen: a loopback address and a port.
    /// - Throws: ``StartError`` for another address, `TemplateError` for an error in a template, or the error that says
    ///   why the address cannot be listened on.
    package init(_ configuration: Configuration, listen: String) throws {
        guard let address = ListenAddress(listen), case .ip = address, address.isLoopback else {
            throw StartError.invalidAddress(setting: "listen", listen)
        }
        let gallery = PreviewGallery(configuration)
        warnings = try gallery.templates().warnings
        server = HTTPServer.Server(
            configuration: HTTPConfiguration(listen: address),
            router: gallery.router(),
            errorResponse: { error, _ in
                // An error in a template that was edited since the start.
                .text(status: ErrorEnvelope(error).httpStatus, "\(error)\n")
            }
        )
        url = "http://\(try server.start())"
        gallery.publicURL.withLock { [url] in $0 = url }
    }

    /// Stops the server.
    package func stop() {
        server.stop(within: .seconds(1))
    }
}

/// The routes of the preview.
private final class PreviewGallery: Sendable {
    private struct Loaded {
        var stamp: [String]
        var templates: CompiledTemplates
    }

    private let configuration: Configuration
    private let loaded = Mutex<Loaded?>(nil)
    /// The preview's own address, which is known once it listens.
    let publicURL = Mutex("")

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Returns the templates, compiled again if a file of the operator's folder has changed.
    func templates() throws -> CompiledTemplates {
        let stamp = self.stamp
        return try loaded.withLock { loaded in
            if let loaded, loaded.stamp == stamp { return loaded.templates }
            let templates = try CompiledTemplates.load(
                overriding: configuration.templates,
                defaultLocale: configuration.defaultLocale,
                brand: configuration.brand
            )
            loaded = Loaded(stamp: stamp, templates: templates)
            return templates
        }
    }

    /// The paths, sizes and times of the files in the operator's folder.
    private var stamp: [String] {
        guard let folder = configuration.templates,
            let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder)
        else { return [] }
        return paths.sorted().map { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(path) \(attributes?[.size] as? UInt64 ?? 0) \(time)"
        }
    }

    private func pages() throws -> Pages {
        Pages(configuration, try templates().pages, clock: { PreviewSamples.now + 5 * 60_000 })
    }

    private func samples(_ request: Request) throws -> PreviewSamples {
        let locales = try templates().pages.locales
        let wanted = request.queryValue("lang") ?? configuration.defaultLocale
        return PreviewSamples(
            locale: locales.contains(wanted) ? wanted : configuration.defaultLocale,
            isLong: request.queryValue("long") != nil,
            publicURL: publicURL.withLock { $0 }
        )
    }

    func router() -> Router {
        var router = Router()
        router.add(.get, "/", cors: false) { .response(try self.index($0)) }
        router.add(.get, "/states.json", cors: false) { _ in .response(try self.list()) }
        router.add(.get, "/pages/{state}", cors: false) { request in
            guard let state = PreviewState.all.first(where: { $0.name == request.parameters["state"] }) else {
                throw RequestError.notFound
            }
            var response = try state.render(try self.pages(), try self.samples(request))
            // Browsers may show another page in place of an error.
            response.status = 200
            return .response(response)
        }
        router.add(.get, "/mails/{kind}", cors: false) { .response(try self.mail($0)) }
        router.add(.get, "/auth/style.css", cors: false) { _ in
            var response = try self.pages().style
            response.headers.removeAll { $0.name == "Cache-Control" }
            response.headers.append((name: "Cache-Control", value: "no-store"))
            return .response(response)
        }
        router.add(.get, "/auth/mailbox.js", cors: false) { _ in .response(MailboxScript.response) }
        if let path = configuration.brand.logoPath, let logo = try? pages().logo?.prepared() {
            router.add(.get, path, cors: false) { _ in .response(logo) }
        }
        router.setFallback(cors: { _ in false }) { request in
            .response(try self.pages().notFound(locale: try self.samples(request).locale))
        }
        return router
    }

    /// An e-mail's HTML, or for a name that ends with `.txt` its subject and plain text.
    private func mail(_ request: Request) throws -> Response {
        let name = request.parameters["kind"] ?? ""
        let isText = name.hasSuffix(".txt")
        guard let kind = MailKind(rawValue: isText ? String(name.dropLast(4)) : name) else {
            throw RequestError.notFound
        }
        let samples = try samples(request)
        let mail = try templates().emails.render(
            samples.payload(kind, minutes: configuration.policy.signInLinkMinutes),
            appName: configuration.brand.name,
            publicURL: samples.publicURL
        )
        if isText { return .text(status: 200, "Subject: \(mail.subject)\n\n\(mail.text)") }
        return MailFrame.response(mail.html, scheme: request.queryValue("scheme"), images: "'self' data:")
    }

    /// The page with links to everything.
    private func index(_ request: Request) throws -> Response {
        let samples = try samples(request)
        let suffix = "?lang=\(samples.locale)" + (samples.isLong ? "&long=1" : "")
        let pages = try pages()
        func items(_ entries: [(title: String, path: String)]) -> String {
            entries.map { entry in
                (try? pages.templates.fragment("preview-link", ["link": entry.path, "title": entry.title])) ?? ""
            }.joined()
        }
        let languages = try templates().pages.locales.map { (title: $0, path: "/?lang=\($0)") }
        return pages.page(
            "preview",
            locale: "en",
            [
                "title": "Preview", "language": samples.locale,
                "languages": items(languages + [(title: "longest values", path: "/?lang=\(samples.locale)&long=1")]),
                "mails": items(
                    MailKind.allCases.flatMap { kind in
                        [
                            (title: kind.rawValue, path: "/mails/\(kind.rawValue)\(suffix)"),
                            (title: "\(kind.rawValue), plain text", path: "/mails/\(kind.rawValue).txt\(suffix)"),
                        ]
                    }
                ),
                "states": items(PreviewState.all.map { (title: $0.name, path: "/pages/\($0.name)\(suffix)") }),
            ]
        )
    }

    /// The names of everything, for scripts.
    private func list() throws -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("pages", JSONValue.array(PreviewState.all.map { .string($0.name) }))
        json.member("mails", JSONValue.array(MailKind.allCases.map { .string($0.rawValue) }))
        json.member("languages", JSONValue.array(try templates().pages.locales.map { .string($0) }))
        json.endObject()
        return .json(json.bytes)
    }
}
