internal import Accounts
internal import HTTPServer
internal import JSON
internal import Synchronization

/// The web origins whose pages may call the API in production: those of the setting `corsOrigins`, or if it is absent,
/// those of `allowedOrigins` and the public URL.
///
/// A call from any other page, or from any page with a body type that needs no preflight (except a form to
/// `/v1/token`), is refused by its head, before it is counted or its tokens are checked. Otherwise each page that a
/// user visits could use up the limits of the user's network address. Following a link in a browser is no such call,
/// and passes except at the legacy paths.
final class WebOrigins: WebCallerRules {
    private let origins: Current<Set<String>>
    private let report: RefusedOrigins

    /// Admits the origins that the operator lists; by default those of allowed links, and the public URL's own.
    init(_ configuration: Configuration, logger: Log) {
        origins = Current(Self.origins(of: configuration))
        report = RefusedOrigins(logger: logger)
    }

    func admits(_ origin: String) -> Bool { origins.value.contains(origin) }

    /// Admits the origins of another configuration from now on.
    func use(_ configuration: Configuration) {
        origins.replace(Self.origins(of: configuration))
    }

    private static func origins(of configuration: Configuration) -> Set<String> {
        Set(configuration.webOrigins.compactMap { WebOrigin($0)?.text })
    }

    /// Refuses requests of pages of other origins, and from any page body types that a page can send without a
    /// preflight.
    ///
    /// Requests that no web page sent pass.
    ///
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE.
    func check(_ request: Request, hasBody: Bool) throws {
        if Self.isNavigation(request) { return }
        let named = request.headers("Origin")
        if named.isEmpty {
            guard ["cross-site", "same-site"].contains(request.header("Sec-Fetch-Site")) else { return }
            // Scripts and forms of a page always send their origin. Images and similar requests do not, but they never
            // call the API.
            guard hasBody else { throw Refusal(.originNotAllowed) }
        } else if named.count > 1 || !admits(named[0]) {
            report.record(named[0])
            throw Refusal(.originNotAllowed)
        }
        if hasBody, !Self.isAllowed(type: request.header("Content-Type"), at: request.path) {
            throw Refusal(.unsupportedMediaType)
        }
    }

    /// Whether a browser sent the request because a user opened a URL, which changes nothing.
    ///
    /// Always false at the legacy paths, where a GET may change something because they treat every method alike.
    private static func isNavigation(_ request: Request) -> Bool {
        [.get, .head].contains(request.method) && request.header("Sec-Fetch-Mode") == "navigate"
            && !request.path.hasPrefix("\(Services.legacyPrefix)/")
    }

    /// Whether a page may send a body of this type: JSON and, to `/v1/token`, a form.
    ///
    /// A browser sends a preflight before JSON to another site, but not before a form.
    private static func isAllowed(type: String?, at path: String) -> Bool {
        let type = type?.prefix { $0 != ";" }.lowercased() ?? ""
        switch type.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        case ["application/json"]: return true
        case ["application/x-www-form-urlencoded"]: return Services.tokenPaths.contains(path)
        default: return false
        }
    }
}

/// Logs the first refusal of each web origin, at most ten a minute.
private final class RefusedOrigins: Sendable {
    private struct State {
        var known: Set<String> = []
        var minute: Int64 = 0
        var lines = 0
    }

    /// The number of logged origins that are remembered.
    ///
    /// Beyond it all are forgotten, and may be logged again.
    private static let mostKnown = 1000
    private static let linesPerMinute = 10
    private static let longest = 200

    private let logger: Log
    private let state = Mutex(State())

    init(logger: Log) {
        self.logger = logger
    }

    /// Logs the refusal of an origin, unless it was logged before or the minute's lines are used up.
    ///
    /// - Parameter text: the `Origin` header, which is arbitrary input from a client. It is shortened, and characters
    ///   that are not printable ASCII are replaced.
    func record(_ text: String) {
        let origin = String(
            decoding: text.utf8.prefix(Self.longest).map { 0x21...0x7E ~= $0 ? $0 : 0x3F },
            as: UTF8.self
        )
        let minute = SystemClock.now() / 60_000
        let isNews = state.withLock { state in
            guard !state.known.contains(origin) else { return false }
            if state.minute != minute { (state.minute, state.lines) = (minute, 0) }
            // An origin that is not logged now is logged at one of its next refusals.
            guard state.lines < Self.linesPerMinute else { return false }
            state.lines += 1
            if state.known.count >= Self.mostKnown { state.known = [] }
            state.known.insert(origin)
            return true
        }
        if isNews { logger("origin.refused", ("origin", .string(origin)), ("setting", "corsOrigins")) }
    }
}
