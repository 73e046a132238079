internal import Accounts
internal import Glibc
internal import HTTPServer
internal import Mail
internal import Network
internal import Tokens

extension Services {
    /// Describes the device that makes a request, for the page behind a link and for what counts against the asker.
    func askingDevice(of request: Request) throws -> AskingDevice {
        AskingDevice(
            sid: nil,
            uid: nil,
            client: try clientHash(of: request),
            name: deviceName(of: request),
            place: place(of: request),
            locale: locale(of: request)
        )
    }

    /// Prepares the notice of a change that a request may make.
    func noticeOpening(for request: Request) throws -> NoticeOpening {
        NoticeOpening(
            ids: try MailIDs(),
            device: deviceName(of: request),
            locale: locale(of: request)
        )
    }

    /// What the device that makes a request is, for people; empty where it does not say.
    func deviceName(of request: Request) -> String {
        DeviceName.of(userAgent: request.header("user-agent") ?? "")
    }

    /// The keyed hash of a client's IPv4 address or IPv6 /64.
    func clientHash(of request: Request) throws -> String {
        try KeyedHash.make(request.clientAddress.networkKey.description, purpose: "limits", secrets: secrets)
    }

    /// Roughly where a request comes from, where one of our own proxies says so in the header that the operator named.
    private func place(of request: Request) -> String? {
        guard let name = configuration.placeHeader, request.isFromTrustedProxy, let value = request.header(name) else {
            return nil
        }
        // Neither control characters nor marks that turn the direction of what follows on the page.
        let visible = value.unicodeScalars.filter { ![.control, .format].contains($0.properties.generalCategory) }
        let place = String(String.UnicodeScalarView(visible.prefix(80))).trimmingPrefix(while: \.isWhitespace)
        return place.isEmpty ? nil : String(place)
    }

    /// The language to answer a request in.
    func locale(of request: Request) -> String {
        LocaleChoice.choose(
            from: pages.templates.locales,
            default: configuration.defaultLocale,
            header: request.header("x-firebase-locale"),
            acceptLanguage: request.header("accept-language")
        )
    }

    /// Whether a new session's refresh token changes with each refresh; Firebase's SDKs expect theirs to stay.
    func rotates(_ request: Request) -> Bool {
        request.header("x-client-version") == nil
    }
}

/// What a device is, for people, as far as its User-Agent says.
enum DeviceName {
    /// Such as `Firefox · Linux`, or empty; made of fixed words only, so that nothing a client sends reaches a mail.
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

    /// The name of the first mark that a text contains.
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
