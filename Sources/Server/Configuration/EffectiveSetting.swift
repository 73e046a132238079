/// A setting as the server uses it, with the place where it was given, for operators.
package struct EffectiveSetting: Sendable, Equatable, Encodable {
    package let key: String
    /// The value as text, without secrets; `nil` if the setting is not set and has no default.
    package internal(set) var value: String?
    /// The place: `default`, the file with the line, or the environment variable, which also stands for an option.
    package let origin: String

    /// Whether the setting has its default.
    package var isDefault: Bool { origin == Self.standard }

    static let standard = "default"
}

extension SettingValue {
    /// The value as text for operators, without what may be secret.
    var shown: String {
        switch self {
        case .string(let text): text.withoutCredentials
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .bool(let flag): "\(flag)"
        case .null: "null"
        case .list(let values) where values.contains(where: \.isObject):
            values.count == 1 ? "1 entry" : "\(values.count) entries"
        case .list(let values): values.map(\.shown).joined(separator: ", ")
        case .object: "an object"
        }
    }

    private var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

extension String {
    /// The text with `********` in place of the user and the password of a URL, and of the parameters of a URL with a
    /// password.
    fileprivate var withoutCredentials: String {
        guard let scheme = firstRange(of: "://") else { return self }
        let rest = self[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else {
            return contains("password") ? "\(prefix { $0 != "?" })?********" : self
        }
        let after = rest[rest.index(after: at)...]
        return "\(self[..<scheme.upperBound])********@\(after.prefix { $0 != "?" })"
            + (after.contains("?") ? "?********" : "")
    }
}
