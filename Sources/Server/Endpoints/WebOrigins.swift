internal import Accounts
internal import HTTPServer
internal import JSON
internal import Synchronization

/// The web pages that may call the API in production: those of the origins that the setting `corsOrigins` lists.
///
/// A request from any other page is refused by its head, before it is counted or its tokens are checked. Otherwise each page
/// that a person visits could spend the limits of that person's address.
final class WebOrigins: WebCallerRules {
    private let origins: Set<String>
    private let report: RefusedOrigins

    /// Admits the origins that the operator lists; by default those where links may lead, and the public URL's own.
    init(_ configuration: Configuration, logger: Log) {
        origins = Set(configuration.webOrigins.compactMap { WebOrigin($0)?.text })
        report = RefusedOrigins(logger: logger)
    }

    func admits(_ origin: String) -> Bool { origins.contains(origin) }

    /// Refuses pages of other origins, and bodies that a page can send without asking first.
    ///
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE.
    func check(_ request: Request, hasBody: Bool) throws {
        if Self.isNavigation(request) { return }
        let named = request.headers("Origin")
        if named.isEmpty {
            guard ["cross-site", "same-site"].contains(request.header("Sec-Fetch-Site")) else { return }
            // A page's scripts and forms always name their origin. Images and the like do not, and never make an API call.
            guard hasBody else { throw Refusal(.originNotAllowed) }
        } else if named.count > 1 || !admits(named[0]) {
            report.note(named[0])
            throw Refusal(.originNotAllowed)
        }
        if hasBody, !Self.isAllowed(type: request.header("Content-Type"), at: request.path) {
            throw Refusal(.unsupportedMediaType)
        }
    }

    /// Whether a person opened a URL, which changes nothing but at the legacy names: these answer every method in the same way.
    private static func isNavigation(_ request: Request) -> Bool {
        [.get, .head].contains(request.method) && request.header("Sec-Fetch-Mode") == "navigate"
            && !request.path.hasPrefix("\(Services.legacyPrefix)/")
    }

    /// Whether a page may send a body of a type: JSON and, to `/v1/token`, a form.
    ///
    /// A browser asks with a preflight before it sends JSON to another site, and not before a form.
    private static func isAllowed(type: String?, at path: String) -> Bool {
        let type = type?.prefix { $0 != ";" }.lowercased() ?? ""
        switch type.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        case ["application/json"]: return true
        case ["application/x-www-form-urlencoded"]: return Services.tokenPaths.contains(path)
        default: return false
        }
    }
}

/// Logs the first refusal of each origin, a few in a minute at most.
private final class RefusedOrigins: Sendable {
    private struct State {
        var known: Set<String> = []
        var minute: Int64 = 0
        var lines = 0
    }

    /// Beyond so many origins the oldest are forgotten, and may be logged once more.
    private static let mostKnown = 1000
    private static let linesPerMinute = 10
    private static let longest = 200

    private let logger: Log
    private let state = Mutex(State())

    init(logger: Log) {
        self.logger = logger
    }

    /// Notes a refusal; the text is whatever a client sent.
    func note(_ text: String) {
        let origin = String(
            decoding: text.utf8.prefix(Self.longest).map { 0x21...0x7E ~= $0 ? $0 : 0x3F },
            as: UTF8.self
        )
        let minute = SystemClock.now() / 60_000
        let isNews = state.withLock { state in
            guard !state.known.contains(origin) else { return false }
            if state.minute != minute { (state.minute, state.lines) = (minute, 0) }
            // What is not logged now is logged at one of its next refusals.
            guard state.lines < Self.linesPerMinute else { return false }
            state.lines += 1
            if state.known.count >= Self.mostKnown { state.known = [] }
            state.known.insert(origin)
            return true
        }
        if isNews { logger("origin.refused", ("origin", .string(origin)), ("setting", "corsOrigins")) }
    }
}
