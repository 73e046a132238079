/// The colors of e-mails and pages, for which `{{color.name}}` stands.
package struct Colors: Sendable {
    private let values: [String: String]
    /// The names in an operator's file, as templates write them, such as "color.accent".
    let ownNames: [String]
    /// What the operator should know: brand colors that were corrected, and colors that contrast too little.
    let warnings: [String]

    /// Reads the embedded `colors.json`, and an operator's file of the same name that may replace some of its colors,
    /// and takes the brand's colors from the brand.
    ///
    /// - Throws: `TemplateError` for a file that is not an object of colors.
    init(_ folder: TemplateFolder, brand: Brand) throws(TemplateError) {
        var values: [String: String] = [:]
        var ownNames: [String] = []
        for version in try folder.versions(TemplateFolder.colors) {
            for (name, entry) in try Strings.parse(version.text, file: version.name, locale: "en") {
                guard case .single(let value) = entry.forms, Self.isColor(value) else {
                    throw TemplateError(file: version.name, line: nil, reason: "'\(name)' is not a color")
                }
                values[name] = value
                if version.isOwn { ownNames.append("color.\(name)") }
            }
        }
        let branded = BrandColors(brand, on: values)
        values.merge(branded.values) { $1 }
        (self.values, self.ownNames) = (values, ownNames.sorted())
        let contrasts = ColorContrast.warnings(of: values).map { "\(folder.displayName(TemplateFolder.colors)): \($0)" }
        warnings = branded.warnings + contrasts
    }

    /// Returns what `{{color.name}}` stands for; `nil` for another placeholder and an unknown color.
    package func template(for placeholder: String, format: Template.Format) -> Template? {
        guard placeholder.hasPrefix("color."), let value = values[String(placeholder.dropFirst(6))] else { return nil }
        return .fixed(value, format: format)
    }

    /// Whether a value is safe where CSS expects a color, such as "#2557c7" and "rgb(0 0 0 / 50%)".
    private static func isColor(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "#(),.%/ -".utf8.contains(byte)
            }
    }
}
