internal import AccountDatabase

extension AssetSettings {
    /// Reads the settings below `sqlAssets`, about the operator's own tables.
    init(_ settings: inout Settings) {
        self.init()
        policy = settings.choice("sqlAssets.default", default: .keepExisting)
        attached = settings.strings(under: "sqlAssets.attach", like: #"{"other": "/var/lib/other.db"}"#)
        tables = settings.objects("sqlAssets.tables").compactMap { members in
            guard let table = Self.table(members) else {
                settings.refuse(
                    "sqlAssets.tables",
                    "each needs table and column, may have policy (keepExisting or fail) and attached, and nothing else"
                )
                return nil
            }
            return table
        }
    }

    private static func table(_ members: [String: SettingValue]) -> Table? {
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard ["table", "column", "policy", "attached"].contains(name), case .string(let text) = value,
                !text.isEmpty,
                !text.utf8.contains(where: { $0 < 0x20 })
            else { return nil }
            texts[name] = text
        }
        let policy = texts["policy"].map { AssetPolicy(rawValue: $0) }
        guard let table = texts["table"], let column = texts["column"], policy != .some(nil) else { return nil }
        return Table(table: table, column: column, policy: policy ?? nil, attached: texts["attached"])
    }
}
