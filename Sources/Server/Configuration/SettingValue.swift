internal import JSON

/// A value from the configuration file, an option or an environment variable, before it is checked.
enum SettingValue: Sendable, Equatable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
    case list([SettingValue])
    case object([String: SettingValue])

    init(_ value: JSON5Value) {
        self =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .number(let number): .number(number)
            case .string(let text): .string(text)
            case .array(let elements): .list(elements.map { SettingValue($0) })
            case .object(let members):
                .object(members.reduce(into: [:]) { $0[$1.name] = SettingValue($1.value) })
            }
    }
}
