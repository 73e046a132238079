internal import Accounts
internal import Glibc
internal import HTTPServer
internal import Mail
internal import Network
internal import Tokens

extension Services {
    /// Describes the device that makes a request, for the page behind an e-mail link and for the limits on the
    /// requesting client.
    ///
    /// The device's session and user are `nil`: the account rules set them from the request's ID token.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - body: its body, which may name a time zone; `nil` for a form of a page.
    func askingDevice(of request: Request, _ body: RequestBody?) throws -> AskingDevice {
        AskingDevice(
            sid: nil,
            uid: nil,
            client: try clientHash(of: request),
            name: deviceName(of: request),
            place: place(of: request),
            locale: locale(of: request),
            timeZone: try body.flatMap { try timeZone(in: $0) }
        )
    }

    /// Makes the values for the notice e-mail about a change that a request may make: random IDs, the device's name,
    /// the language and the time zone.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - body: its body, which may name a time zone; `nil` for a link or a form of a page.
    func noticeOpening(for request: Request, _ body: RequestBody?) throws -> NoticeOpening {
        NoticeOpening(
            ids: try MailIDs(),
            device: deviceName(of: request),
            locale: locale(of: request),
            timeZone: try body.flatMap { try timeZone(in: $0) }
        )
    }

    /// The time zone that a body names in `timeZone`, such as "Europe/Rome"; `nil`, which means UTC, for a name that this
    /// machine does not know.
    ///
    /// - Throws: ``RequestError`` for a value that is not a string.
    func timeZone(in body: RequestBody) throws -> String? {
        try body.nonEmptyString("timeZone").flatMap { TimeZones.system.known($0) }
    }

    /// The name of the requesting device for people, as in ``DeviceName/of(userAgent:)``; empty if the request does not
    /// reveal it.
    func deviceName(of request: Request) -> String {
        DeviceName.of(userAgent: request.header("user-agent") ?? "")
    }

    /// The keyed hash of the requesting client's IPv4 address or IPv6 /64 network.
    func clientHash(of request: Request) throws -> String {
        try KeyedHash.make(request.clientAddress.networkKey.description, purpose: "limits", secrets: secrets)
    }

    /// The approximate place that a request comes from, as a trusted proxy says in the header that the operator
    /// configured; `nil` without such a setting, proxy or header.
    ///
    /// At most 80 characters, without control characters.
    private func place(of request: Request) -> String? {
        guard let name = configuration.placeHeader, request.isFromTrustedProxy, let value = request.header(name) else {
            return nil
        }
        // Drops control characters, and marks that reverse the writing direction of the text after them.
        let visible = value.unicodeScalars.filter { ![.control, .format].contains($0.properties.generalCategory) }
        let place = String(String.UnicodeScalarView(visible.prefix(80))).trimmingPrefix(while: \.isWhitespace)
        return place.isEmpty ? nil : String(place)
    }

    /// The language for the e-mails and pages that a request causes: the best match of `X-Firebase-Locale`, else that
    /// of `Accept-Language`, else the default.
    func locale(of request: Request) -> String {
        pages.templates.locale(
            header: request.header("x-firebase-locale"),
            acceptLanguage: request.header("accept-language")
        )
    }

    /// Whether the refresh token of a new session changes with each refresh: unless the request comes from a Firebase
    /// SDK.
    ///
    /// Firebase's SDKs expect the refresh token to stay the same.
    func rotates(_ request: Request) -> Bool { !request.isOfFirebaseSDK }
}

/// The name of a device for people, as far as its User-Agent reveals it.
enum DeviceName {
    /// Returns a name such as `Firefox · Linux`, or an empty string.
    ///
    /// It consists of fixed words only, so that no text from a client reaches an e-mail.
    static func of(userAgent: String) -> String {
        let text = String(decoding: userAgent.utf8.prefix(512), as: UTF8.self)
        let (browser, system) = unsafe text.withCString { text in
            unsafe (name(in: text, of: browsers), name(in: text, of: systems))
        }
        return switch (browser, system) {
        case (let browser?, let system?): "\(browser) · \(system)"
        case (let name?, nil), (nil, let name?): name
        case (nil, nil): ""
        }
    }

    /// The name that belongs to the first mark in the list that a text contains; `nil` if it contains none.
    ///
    /// Every sign-in calls this. Swift's own `contains` takes 20 times as long as libc's `strstr`.
    private static func name(in text: UnsafePointer<CChar>, of marks: [(mark: StaticString, name: String)]) -> String? {
        marks.first { (mark, _) in
            mark.withUTF8Buffer { mark in
                guard let start = mark.baseAddress else { return false }
                return unsafe strstr(text, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)) != nil
            }
        }?.name
    }

    private static let browsers: [(mark: StaticString, name: String)] = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
        ("latchkey/", "Latchkey CLI"), ("curl/", "curl"), ("okhttp", "Android app"), ("CFNetwork", "Apple app"),
    ]

    private static let systems: [(mark: StaticString, name: String)] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]
}
