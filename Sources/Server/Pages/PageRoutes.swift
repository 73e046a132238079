internal import Accounts
internal import Database
package import HTTPServer
internal import JSON

extension Services {
    /// The pages that people see.
    func addPages(to router: inout Router) {
        router.add(.get, ActionLink.path, cors: false, guarded(handler(OpenLink(services: self))))
        router.add(.post, ActionLink.path, cors: false, guarded(handler(AnswerLink(services: self), guarding: true)))
        let style = pages.style.prepared()
        router.add(.get, "/auth/style.css", cors: false, guarded { _ in .response(style) })
        let landing = pages.landing(locale: configuration.defaultLocale).prepared()
        let isDevelopment = configuration.mode == .development
        let page: Handler = { _ in .response(landing) }
        let root = isDevelopment ? developmentRoot(page: landing) : page
        router.add(.get, "/", cors: isDevelopment, guarded(root))
    }

    /// The answer to an error: a page where a person reads it, else the envelope that clients know.
    package func errorResponse(_ error: any Error, _ request: Request) -> Response {
        let envelope = ErrorEnvelope(error)
        if let database = error as? DatabaseError { self.database.health.note(database) }
        // A call that is not built is nothing to look into, and that storage is low has a line of its own.
        if envelope.httpStatus >= 500, envelope.httpStatus != 501, (error as? Refusal)?.code != .storageLow {
            logger("request.failed", ("path", .string(request.path)), ("reason", .string("\(error)")))
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
        guard request.path == ActionLink.path else { return envelope.response }
        let locale = pageLocale(of: request)
        if let refusal = error as? Refusal { return pages.refused(refusal, locale: locale) }
        return pages.error(status: envelope.httpStatus, locale: locale)
    }

    /// The language of the page that answers a request: the link's or the form's own, else what the browser asks for.
    func pageLocale(of request: Request) -> String {
        pageLocale(request.method == .post ? FormBody(request.body)["lang"] : request.queryValue("lang"), request)
    }

    /// A language that there is, else what the browser asks for.
    func pageLocale(_ language: String?, _ request: Request) -> String {
        language.flatMap { pages.templates.locales.contains($0) ? $0 : nil } ?? locale(of: request)
    }
}
