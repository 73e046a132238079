internal import JSON

/// The sections of a project's configuration at Firebase, and which of them this server obeys.
enum ProjectConfigSections {
    /// The sections that have a place of their own in ``ProjectConfig``, and the name, which is no setting.
    static let known: Set<String> = ["name", "signIn", "blockingFunctions", "emailPrivacyConfig"]

    /// The only member of each section that the server obeys.
    private static let obeyed = [
        "signIn": "allowDuplicateEmails", "emailPrivacyConfig": "enableImprovedEmailPrivacy",
    ]

    /// Returns the paths of the settings that a change would set and the server does not obey, sorted.
    ///
    /// Blocking functions are judged elsewhere.
    ///
    /// - Parameters:
    ///   - body: the change.
    ///   - mask: the paths that the change is limited to; `nil` for all.
    static func unobeyed(in body: RequestBody, named mask: [String]?) -> [String] {
        var paths: [String] = []
        for (key, value) in body.object.members {
            let section = camelCase(key)
            guard section != "name", section != "blockingFunctions" else { continue }
            guard let member = obeyed[section] else {
                paths.append(section)
                continue
            }
            paths += (value.object?.members ?? []).map { camelCase($0.name) }.filter { $0 != member }
                .map { "\(section).\($0)" }
        }
        guard let mask else { return paths.sorted() }
        return paths.filter { path in
            mask.contains { $0 == path || $0.hasPrefix("\(path).") || path.hasPrefix("\($0).") }
        }.sorted()
    }

    /// Returns the sections of a change that are not ``known``, as given.
    static func others(of body: RequestBody) -> JSONObject {
        var others = JSONObject()
        for (key, value) in body.object.members where !known.contains(camelCase(key)) { others[camelCase(key)] = value }
        return others
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
