internal import Accounts

/// The parts that the HTML layouts of several kinds of e-mail share.
///
/// A layout names a part with its argument: `{{button.key}}` is the button with the e-mail's link, labeled with the text
/// `key`, and `{{quiet.key}}` the less prominent one of security e-mails. `{{copy.key}}` is the link as text, after the
/// text `key`. `{{fact.device}}` is the row of a table with the value of `device`, labeled with the text `labelDevice`.
/// `{{brand.support}}` says where to find help, and the other parts of the brand are those of ``BrandParts``.
struct EmailParts {
    private enum File: String, CaseIterable {
        case button, quietButton = "quiet-button", copyLink = "copy-link", fact, support

        var placeholders: Set<String> {
            switch self {
            case .button, .quietButton, .copyLink: ["label", "link"]
            case .support: ["label", "link", "address"]
            case .fact: ["label", "value"]
            }
        }
    }

    /// The names of the parts' files in `email/`.
    static let files = File.allCases.map { "\($0.rawValue).html" } + BrandParts.files

    private let templates: [File: Template]
    let brand: BrandParts

    /// Compiles the files.
    ///
    /// - Throws: `TemplateError` for a missing file or an unknown placeholder.
    init(_ library: TemplateLibrary) throws(TemplateError) {
        var templates: [File: Template] = [:]
        for file in File.allCases {
            let path = "email/\(file.rawValue).html"
            templates[file] = try library.folder.part(path, placeholders: file.placeholders)
        }
        self.templates = templates
        brand = try BrandParts(library.folder, below: "email", brand: library.brand)
    }

    /// Returns the part that a placeholder of a layout stands for, in one language.
    ///
    /// - Parameters:
    ///   - name: the placeholder, such as "button.mailSignInButton".
    ///   - strings: the texts of the language.
    ///   - values: the names of the values that the e-mail has.
    ///   - color: returns the color that a placeholder stands for.
    /// - Returns: the part; `nil` if the placeholder is not one, or if the e-mail lacks its text or value.
    /// - Throws: `TemplateError` for an unknown text in a part's file.
    func part(
        _ name: String,
        _ strings: Strings,
        values: Set<String>,
        _ color: (String) -> Template?
    ) throws(TemplateError) -> Template? {
        func fill(_ file: File, _ parts: [String: Template]) throws(TemplateError) -> Template? {
            try templates[file]?.filling(texts: strings, placeholders: values) { parts[$0] ?? color($0) }
        }
        if name == "brand.support" {
            guard let support = try brand.support(strings) else { return .fixed("", format: .html) }
            return try fill(.support, ["label": support.lead, "link": support.url, "address": support.address])
        }
        guard let use = PartUse(name) else { return try brand.html(name, strings, color) }
        guard let entry = strings[use.labelKey] else { return nil }
        let label = try Template(use.labelKey, entry, format: .html, placeholders: values)
        guard values.contains(use.value) else { return nil }
        switch use {
        case .button: return try fill(.button, ["label": label])
        case .quiet: return try fill(.quietButton, ["label": label])
        case .copy: return try fill(.copyLink, ["label": label])
        case .fact(let name): return try fill(.fact, ["label": label, "value": try Self.isolated(name)])
        }
    }

    /// Returns the keys of texts and colors that layouts use, given the keys that stand in them, including the keys of
    /// the parts that they name.
    func keys(including keys: Set<String>) -> Set<String> {
        let parts = templates.values.reduce(brand.keys.union(BrandParts.keys)) { $0.union($1.keys) }
        return keys.reduce(into: parts) { keys, key in
            guard !key.hasPrefix("brand.") else { return }
            keys.insert(PartUse(key)?.labelKey ?? key)
        }
    }

    /// The value of a fact, as a template.
    ///
    /// It does not change the order of the words around it, whichever direction it is written in.
    private static func isolated(_ name: String) throws(TemplateError) -> Template {
        try Template("<bdi>{{\(name)}}</bdi>", file: "", format: .html, placeholders: [name])
    }
}

/// A part that a layout names, with its argument.
private enum PartUse {
    /// The button with a text, by the text's key.
    case button(String)
    /// The less prominent button with a text, by the text's key.
    case quiet(String)
    /// The link as text, after a text, by the text's key.
    case copy(String)
    /// The row of a table with a value, by the value's name.
    case fact(String)

    /// Reads the name of a placeholder; `nil` if it does not name a part.
    init?(_ name: String) {
        let words = name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "button": self = .button(words[1])
        case "quiet": self = .quiet(words[1])
        case "copy": self = .copy(words[1])
        case "fact": self = .fact(words[1])
        default: return nil
        }
    }

    /// The key of the text on the button, before the link, or at the start of the row.
    var labelKey: String {
        switch self {
        case .button(let key), .quiet(let key), .copy(let key): key
        case .fact(let name): "label" + name.prefix(1).uppercased() + name.dropFirst()
        }
    }

    /// The name of the value that the part shows.
    var value: String {
        switch self {
        case .button, .quiet, .copy: "link"
        case .fact(let name): name
        }
    }
}
