/// The operator's brand, as e-mails and pages show it.
package struct Brand: Sendable, Equatable {
    /// The name of the app.
    package var name: String
    package var logo: BrandLogo?
    /// The color of buttons and links in light schemes; `nil` for the one in `colors.json`.
    package var color: HexColor?
    /// The same in dark schemes; `nil` for one that is derived from ``color``.
    package var colorDark: HexColor?
    /// Where users find help: an https or `mailto:` URL.
    package var supportURL: String?
    package var privacyURL: String?
    /// The operator's postal address; lines are separated by line breaks.
    package var postalAddress: String?
    /// The app's URL, to which pages lead back: an https URL or one with the app's own scheme.
    package var appURL: String?

    /// Makes a brand that consists of a name only.
    package init(name: String = "Latchkey") {
        self.name = name
    }

    /// Whether the brand consists of a name only, so that it needs no templates of its own.
    package var isNameOnly: Bool { self == Brand(name: name) }

    /// The path at which the server publishes the logo; `nil` without one.
    package var logoPath: String? { logo.map { "/auth/\($0.format.fileName)" } }
}
