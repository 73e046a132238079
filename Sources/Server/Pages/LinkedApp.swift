/// The operator's app, if it can open e-mail links on the device that shows a link's page.
///
/// Mail apps often wrap links, and a wrapped link opens the page in place of the app.
enum LinkedApp: Sendable, Equatable {
    /// An Android app, by its package name.
    case android(package: String)
    /// An app with a universal link on an Apple device.
    case apple

    /// The app for the device with a User-Agent; `nil` if the configuration has none for it.
    ///
    /// Safari on an iPad calls itself a Mac by default, so most iPads get `nil`.
    ///
    /// - Parameters:
    ///   - userAgent: the header `User-Agent`, empty if there is none.
    ///   - configuration: names the apps. On Android the first one counts.
    init?(userAgent: String, _ configuration: Configuration) {
        let text = userAgent.prefix(512)
        if let app = configuration.androidApps.first, text.contains("Android") {
            self = .android(package: app.package)
        } else if !configuration.appleAppIDs.isEmpty, ["iPhone", "iPad"].contains(where: { text.contains($0) }) {
            self = .apple
        } else {
            return nil
        }
    }

    /// The URL that opens a link in the app, from the link's own page.
    ///
    /// Android browsers open an `intent:` URL in the named app, and show the page again if the app is not installed. On
    /// Apple's systems only the link itself opens the app.
    ///
    /// - Parameter link: an absolute URL without fragment.
    func url(opening link: String) -> String {
        switch self {
        case .apple: return link
        case .android(let package):
            guard let separator = link.firstRange(of: "://") else { return link }
            let parts = [
                "scheme=\(link[..<separator.lowerBound])", "package=\(PercentEncoding.component(package))",
                "S.browser_fallback_url=\(PercentEncoding.component(link))", "end",
            ]
            return "intent://\(link[separator.upperBound...])#Intent;\(parts.joined(separator: ";"))"
        }
    }
}
