/// The colors of `colors.json` that follow from a brand's colors, corrected until people can read them.
struct BrandColors {
    /// The colors by their names in `colors.json`.
    private(set) var values: [String: String] = [:]
    /// What the operator should know: the colors that were corrected.
    private(set) var warnings: [String] = []

    /// The contrast that text needs (WCAG 2.2, success criterion 1.4.3, level AA).
    static let readable = 4.5

    /// Derives the colors.
    ///
    /// - Parameters:
    ///   - brand: the brand.
    ///   - colors: the other colors, by their names in `colors.json`.
    init(_ brand: Brand, on colors: [String: String]) {
        guard let color = brand.color ?? brand.colorDark else { return }
        func grounds(_ names: [String]) -> [HexColor] { names.compactMap { colors[$0].flatMap { HexColor($0) } } }
        if let given = brand.color {
            let accent = shade(given, toward: .black, on: grounds(["card", "page", "box"]), setting: "brand.color")
            values["accent"] = accent.description
            values["accentHover"] = accent.mixed(with: .black, share: 0.2).description
            values["onAccent"] = "#ffffff"
        }
        let accent = shade(
            brand.colorDark ?? color,
            toward: .white,
            on: grounds(["darkCard", "darkPage", "darkBox"]),
            setting: brand.colorDark == nil ? nil : "brand.colorDark"
        )
        values["darkAccent"] = accent.description
        values["darkAccentHover"] = accent.mixed(with: .white, share: 0.3).description
        values["darkOnAccent"] = "#10131a"
    }

    /// Returns a color, or the nearest mixture with another one that contrasts enough with every ground.
    ///
    /// - Parameter setting: the setting to name in a warning; `nil` for a color that is not a setting's.
    private mutating func shade(
        _ color: HexColor,
        toward other: HexColor,
        on grounds: [HexColor],
        setting: String?
    ) -> HexColor {
        func contrast(_ color: HexColor) -> Double { grounds.map { color.contrast(to: $0) }.min() ?? 21 }
        var shade = color
        var share = 0.0
        while contrast(shade) < Self.readable, share < 1 {
            share += 0.02
            // Rounded to what a browser shows.
            shade = HexColor(color.mixed(with: other, share: min(share, 1)).description) ?? other
        }
        if shade != color, let setting {
            let ratio = (contrast(color) * 10).rounded(.down) / 10
            warnings.append(
                "\(setting): \(color) has a contrast of \(ratio):1 to its background, below the \(Self.readable):1 "
                    + "that text needs (WCAG AA); \(shade) is used instead"
            )
        }
        return shade
    }
}

/// The pairs of colors whose contrast people need, and what is wrong with them.
enum ColorContrast {
    /// A color, what it stands on, and the contrast that it needs.
    private static let pairs: [(color: String, ground: String, needed: Double)] = {
        let light = [
            ("text", "card", 4.5), ("text", "box", 4.5), ("text", "page", 4.5), ("muted", "card", 4.5),
            ("muted", "page", 4.5), ("muted", "box", 4.5), ("accent", "card", 4.5), ("onAccent", "accent", 4.5),
            ("onAccent", "accentHover", 4.5), ("good", "goodBox", 4.5), ("bad", "badBox", 4.5), ("field", "card", 3),
        ]
        let dark = light.map { pair in (Self.dark(pair.0), Self.dark(pair.1), pair.2) }
        return (light + dark).map { (color: $0.0, ground: $0.1, needed: $0.2) }
    }()

    private static func dark(_ name: String) -> String { "dark" + name.prefix(1).uppercased() + name.dropFirst() }

    /// Returns a warning for each pair of hexadecimal colors that contrast too little.
    static func warnings(of values: [String: String]) -> [String] {
        pairs.compactMap { pair in
            guard let color = values[pair.color].flatMap({ HexColor($0) }),
                let ground = values[pair.ground].flatMap({ HexColor($0) })
            else { return nil }
            let contrast = color.contrast(to: ground)
            guard contrast < pair.needed else { return nil }
            let ratio = (contrast * 10).rounded(.down) / 10
            return
                "the color \(pair.color) has a contrast of \(ratio):1 to \(pair.ground); WCAG AA needs \(pair.needed):1"
        }
    }
}
