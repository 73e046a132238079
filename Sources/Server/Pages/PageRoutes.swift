internal import Accounts
internal import Database
package import HTTPServer
internal import JSON
internal import Mail

extension Services {
    /// Adds the routes of the pages for people: the pages of e-mail links, their stylesheet and the root.
    func addPages(to router: inout Router) {
        router.add(.get, ActionLink.path, cors: false, guarded(handler(OpenLink(services: self))))
        router.add(.post, ActionLink.path, cors: false, guarded(handler(AnswerLink(services: self), guarding: true)))
        router.add(.get, "/auth/style.css", cors: false, guarded { _ in .response(self.pages.style) })
        for format in BrandLogo.Format.allCases {
            router.add(.get, "/auth/\(format.fileName)", cors: false, guarded { _ in .response(try self.logo(format)) })
        }
        let isDevelopment = configuration.mode == .development
        let landing: @Sendable () -> Response = { self.pages.landing(locale: self.configuration.defaultLocale) }
        let page: Handler = { _ in .response(landing()) }
        let root = isDevelopment ? developmentRoot(page: landing) : page
        router.add(.get, "/", cors: isDevelopment, guarded(root))
    }

    /// The brand's logo in one format.
    ///
    /// - Throws: `RequestError` if the brand has no logo in this format.
    private func logo(_ format: BrandLogo.Format) throws -> Response {
        guard pages.brand.logo?.format == format, let logo = pages.logo else { throw RequestError.notFound }
        return logo
    }

    /// Returns the response to an error: a page at the path of e-mail links, otherwise the envelope that clients
    /// expect.
    ///
    /// Firebase's web SDKs get plain text where they would act on an error (``undecidedResponse(to:_:_:)``). Logs
    /// errors of the server, and records damage of the database for the health check.
    package func errorResponse(_ error: any Error, _ request: Request) -> Response {
        if let error = error as? ConsoleError {
            return consoleMessage(error.heading, error.message, status: error.status)
        }
        var envelope = ErrorEnvelope(error)
        if envelope.isAboutPath { envelope = explained(envelope, request) }
        if let database = error as? DatabaseError { self.database.health.record(database) }
        // A call that is not built needs no attention, and low storage has its own log line.
        if envelope.httpStatus >= 500, envelope.httpStatus != 501, (error as? Refusal)?.code != .storageLow {
            sampler("request.failed", "reason", detail: "\(error)", beside: ("path", .string(request.path)))
        }
        if let blocked = error as? MergeBlocked {
            logger(
                "merge.failed",
                ("table", .string(blocked.table)),
                ("reason", .string(blocked.reason)),
                ("outcome", "failed")
            )
        }
        if let undecided = undecidedResponse(to: error, envelope, request) { return undecided }
        if AccountPath.contains(request.path), configuration.accountPage {
            return accountErrorResponse(error, envelope, request)
        }
        if ConsolePath.contains(request.path), configuration.servesConsole(on: request.listener) {
            return consoleErrorResponse(error, envelope, request)
        }
        guard request.path == ActionLink.path else { return envelope.response }
        let locale = pageLocale(of: request)
        if let refusal = error as? Refusal { return pages.refused(refusal, locale: locale) }
        return pages.error(status: envelope.httpStatus, locale: locale)
    }

    /// Names the method and path of a request to nothing: in production in the response, in development in the log,
    /// because tests of apps may compare Firebase's text.
    private func explained(_ envelope: ErrorEnvelope, _ request: Request) -> ErrorEnvelope {
        let asked = String("\(request.method.rawValue) \(request.path)".prefix(200))
        if configuration.mode == .production { return envelope.explained("There is no \(asked).") }
        sampler("path.unknown", "path", detail: asked)
        return envelope
    }

    /// The language of the page for a request: the one in the link or form, otherwise the browser's.
    func pageLocale(of request: Request) -> String {
        pageLocale(request.method == .post ? FormBody(request.body)["lang"] : request.queryValue("lang"), request)
    }

    /// The given language if it is available, otherwise the one that ``locale(of:)`` chooses.
    func pageLocale(_ language: String?, _ request: Request) -> String {
        language.flatMap { pages.templates.locales.contains($0) ? $0 : nil } ?? locale(of: request)
    }
}
