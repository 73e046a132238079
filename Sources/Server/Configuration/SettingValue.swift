/// A value from the configuration file, an option or an environment variable, before it is checked.
enum SettingValue: Sendable, Equatable, Decodable {
    case string(String)
    case number(Double)
    case bool(Bool)
    case list([SettingValue])
    case object([String: SettingValue])

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            var object: [String: SettingValue] = [:]
            for name in members.allKeys {
                object[name.stringValue] = try members.decode(SettingValue.self, forKey: name)
            }
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var list: [SettingValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(SettingValue.self)) }
            self = .list(list)
        } else {
            let value = try decoder.singleValueContainer()
            if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .string(try value.decode(String.self))
            }
        }
    }
}
