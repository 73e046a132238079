internal import FoundationEssentials
internal import Mail

extension Brand {
    /// Reads the settings of the brand.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - isDevelopment: whether URLs may be `http`.
    init(_ settings: inout Settings, isDevelopment: Bool) {
        // `appName` is the older name of the setting.
        let key = settings.isGiven("brand.name") ? "brand.name" : "appName"
        self.init(name: settings.string(key) ?? "Latchkey")
        if key == "brand.name", settings.isGiven("appName") {
            settings.refuse("appName", "is the older name of brand.name; give one of them")
        }
        logo = Self.logo(&settings)
        color = Self.color("brand.color", &settings)
        colorDark = Self.color("brand.colorDark", &settings)
        let web: Set<String> = isDevelopment ? ["https", "http"] : ["https"]
        supportURL = settings.url("brand.supportURL", schemes: web.union(["mailto"]))
        privacyURL = settings.url("brand.privacyURL", schemes: web)
        appURL = Self.appURL(&settings, web: web)
        postalAddress = settings.string("brand.postalAddress")
        if let postalAddress, postalAddress.utf8.count > 500 {
            settings.refuse("brand.postalAddress", "must have at most 500 bytes")
        }
    }

    private static func logo(_ settings: inout Settings) -> BrandLogo? {
        guard let path = settings.file("brand.logo"), let data = try? Data(contentsOf: URL(filePath: path)) else {
            return nil
        }
        do throws(TemplateError) {
            return try BrandLogo(Array(data), file: path)
        } catch {
            settings.refuse("brand.logo", "\(error)")
            return nil
        }
    }

    private static func color(_ key: String, _ settings: inout Settings) -> HexColor? {
        guard let text = settings.string(key) else { return nil }
        if let color = HexColor(text) { return color }
        settings.refuse(key, "'\(text)' is not a color; write it like #2557c7")
        return nil
    }

    /// Schemes that run what the URL contains or open files, so that no link may have them.
    private static let dangerous: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "http", "mailto",
    ]

    private static func appURL(_ settings: inout Settings, web: Set<String>) -> String? {
        guard let scheme = settings.string("brand.appURL")?.urlScheme, !web.contains(scheme),
            !dangerous.contains(scheme)
        else { return settings.url("brand.appURL", schemes: web) }
        return settings.url("brand.appURL", schemes: [scheme])
    }
}

extension Settings {
    /// Returns a URL with one of the schemes; `nil` if the setting is absent or refused.
    mutating func url(_ key: String, schemes: Set<String>) -> String? {
        guard let text = string(key) else { return nil }
        if text.isPlainURL(schemes: schemes) { return text }
        let names = schemes.sorted().map { "\($0):" }.joined(separator: ", ")
        refuse(key, "must be a URL that begins with \(names)")
        return nil
    }
}

extension String {
    /// The scheme of a URL in lower case: the text before the first colon; `nil` without one.
    var urlScheme: String? { firstIndex(of: ":").map { self[..<$0].lowercased() } }

    /// Whether the text is an absolute URL of ASCII characters that are visible, with one of the schemes.
    func isPlainURL(schemes: Set<String>) -> Bool {
        guard utf8.count <= 2048, utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }), isAbsoluteURL else {
            return false
        }
        return urlScheme.map(schemes.contains) ?? false
    }
}
