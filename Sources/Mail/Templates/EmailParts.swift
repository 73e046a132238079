internal import Accounts

/// The parts that the HTML layouts of several kinds of e-mail share.
///
/// A layout names a part with its argument: `{{button.key}}` is the button and the link below it, labeled with the text
/// `key`. `{{fact.device}}` is the row of a table with the value of `device`, labeled with the text `labelDevice`.
struct EmailParts {
    /// The names of the parts' files in `email/`.
    static let files = ["button.html", "fact.html"]

    private let button: Template
    private let fact: Template

    /// Compiles the files.
    ///
    /// - Throws: `TemplateError` for a missing file or an unknown placeholder.
    init(_ folder: TemplateFolder) throws(TemplateError) {
        button = try Self.template("button.html", folder, placeholders: ["label", "link"])
        fact = try Self.template("fact.html", folder, placeholders: ["label", "value"])
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
        guard let use = PartUse(name), let entry = strings[use.labelKey] else { return nil }
        let label = try Template(use.labelKey, entry, format: .html, placeholders: values)
        switch use {
        case .button:
            guard values.contains("link") else { return nil }
            return try button.filling(texts: strings, placeholders: values) { $0 == "label" ? label : color($0) }
        case .fact(let name):
            guard values.contains(name) else { return nil }
            let value = try Self.value(name)
            return try fact.filling(texts: strings, placeholders: values) { placeholder in
                switch placeholder {
                case "label": label
                case "value": value
                default: color(placeholder)
                }
            }
        }
    }

    /// Returns the keys of texts and colors that layouts use, given the keys that stand in them, including the keys of
    /// the parts that they name.
    func keys(including keys: Set<String>) -> Set<String> {
        keys.reduce(into: []) { keys, key in
            guard let use = PartUse(key) else {
                keys.insert(key)
                return
            }
            keys.insert(use.labelKey)
            switch use {
            case .button: keys.formUnion(button.keys)
            case .fact: keys.formUnion(fact.keys)
            }
        }
    }

    /// The value of a fact, as a template.
    ///
    /// Each value is isolated from the text around it, because it may be written in the other direction.
    private static func value(_ name: String) throws(TemplateError) -> Template {
        try Template("<bdi>{{\(name)}}</bdi>", file: "", format: .html, placeholders: [name])
    }

    /// Compiles a file without its last line break, because the placeholder of a part stands on a line of its own.
    private static func template(
        _ file: String,
        _ folder: TemplateFolder,
        placeholders: Set<String>
    ) throws(TemplateError) -> Template {
        let path = "email/\(file)"
        var source = try folder.text(path)
        if source.last?.isNewline == true { source.removeLast() }
        return try Template(source, file: folder.displayName(path), format: .html, placeholders: placeholders)
    }
}

/// A part that a layout names, with its argument.
private enum PartUse {
    /// The button with a text, by the text's key.
    case button(String)
    /// The row of a table with a value, by the value's name.
    case fact(String)

    /// Reads the name of a placeholder; `nil` if it does not name a part.
    init?(_ name: String) {
        let words = name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "button": self = .button(words[1])
        case "fact": self = .fact(words[1])
        default: return nil
        }
    }

    /// The key of the text on the button, or at the start of the row.
    var labelKey: String {
        switch self {
        case .button(let key): key
        case .fact(let name): "label" + name.prefix(1).uppercased() + name.dropFirst()
        }
    }
}
