internal import FoundationEssentials

/// What is wrong with a configuration: every problem, each with where it stands.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let problems: [String]

    package var description: String { problems.joined(separator: "\n") }
}

/// The settings as given: environment before file.
///
/// Reading one checks it and notes its problems.
///
/// Keys are dotted camel case (`limits.mailsPerAddress`); the environment variable of a key is `LATCHKEY_` and its words in
/// upper case (`LATCHKEY_LIMITS_MAILS_PER_ADDRESS`).
struct Settings {
    private struct Given {
        let value: SettingValue
        let origin: String
    }

    /// Variables of the client commands, which are no settings of the server.
    private static let foreignVariables: Set<String> = [
        "LATCHKEY_URL", "LATCHKEY_SESSION", "LATCHKEY_API_KEY", "LATCHKEY_CONFIG", "LATCHKEY_BINARY",
    ]

    private var given: [String: Given] = [:]
    private var known: Set<String> = []
    private(set) var problems: [String] = []
    /// What is allowed but should be mended.
    private(set) var warnings: [String] = []
    /// Whether files that hold secrets must not be open to others.
    var judgesSecretFiles = false
    /// Secrets that are given but cannot be used, which has been noted already.
    private(set) var unusableSecrets: Set<String> = []

    /// Gathers the settings.
    ///
    /// - Parameters:
    ///   - file: the path of a JSON5 file, or `nil`.
    ///   - environment: all variables; those that start with `LATCHKEY_` count.
    init(file: String?, environment: [String: String]) {
        if let file { read(file: file) }
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("LATCHKEY_") && !Self.foreignVariables.contains(name) {
            read(variable: name, value)
        }
    }

    private mutating func read(file: String) {
        do {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            let data = try Data(contentsOf: URL(filePath: file))
            guard case .object(let members) = try decoder.decode(SettingValue.self, from: data) else {
                problems.append("\(file): the file must hold one object, { … }")
                return
            }
            flatten(members, prefix: "", file: file)
        } catch let error as DecodingError {
            problems.append("\(file): not valid JSON5: \(Self.describe(error))")
        } catch {
            problems.append("\(file): cannot be read; check the path and its permissions")
        }
    }

    private mutating func flatten(_ members: [String: SettingValue], prefix: String, file: String) {
        for (name, value) in members {
            // A provider that says nothing is a mistake to be told of, and not no provider.
            if case .object(let inner) = value, !inner.isEmpty || prefix != "providers." {
                flatten(inner, prefix: "\(prefix)\(name).", file: file)
            } else {
                given["\(prefix)\(name)"] = Given(value: value, origin: "\(file): \(prefix)\(name)")
            }
        }
    }

    /// Keeps a variable under its own name until a key claims it, since the key cannot be told from the name alone.
    private mutating func read(variable name: String, _ value: String) {
        given[name] = Given(value: .string(value), origin: name)
    }

    private static func describe(_ error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context.debugDescription
        @unknown default:
            "it cannot be decoded"
        }
    }

    static func variableName(of key: String) -> String {
        "LATCHKEY_" + words(of: key).map { $0.uppercased() }.joined(separator: "_")
    }

    private static func words(of key: String) -> [String] {
        // The name of a file goes behind what the file holds: smtpURLFile is SMTP_URL_FILE.
        if key.hasSuffix("File") { return words(of: String(key.dropLast(4))) + ["file"] }
        var words: [String] = [""]
        var previous: Character = "."
        for character in key {
            if character == "." {
                words.append("")
            } else if character.isUppercase && !previous.isUppercase {
                words.append(character.lowercased())
            } else {
                words[words.count - 1] += character.lowercased()
            }
            previous = character
        }
        return words
    }

    // MARK: Reading

    /// Takes a value for a key from within another setting, unless the environment gives the key.
    mutating func suggest(_ key: String, _ value: String, origin: String) {
        given[key] = Given(value: .string(value), origin: origin)
    }

    /// The value that counts for a key, with where it came from.
    private mutating func take(_ key: String) -> Given? {
        let variable = Self.variableName(of: key)
        known.insert(key)
        known.insert(variable)
        return given[variable] ?? given[key]
    }

    /// Whether a key is given, be it empty.
    mutating func isGiven(_ key: String) -> Bool { take(key) != nil }

    private mutating func refuse(_ given: Given, _ reason: String) {
        problems.append("\(given.origin): \(reason)")
    }

    /// Notes a problem of a key whose value is well-formed but wrong.
    mutating func refuse(_ key: String, _ reason: String) {
        problems.append("\(take(key)?.origin ?? key): \(reason)")
    }

    /// Notes something about a key that does not stop the start.
    mutating func warn(_ key: String, _ reason: String) {
        warnings.append("\(take(key)?.origin ?? key): \(reason)")
    }

    mutating func string(_ key: String) -> String? {
        guard let given = take(key) else { return nil }
        guard case .string(let text) = given.value, !text.isEmpty else {
            refuse(given, "must be a non-empty string")
            return nil
        }
        return text
    }

    /// The path of a file that can be read.
    mutating func file(_ key: String) -> String? {
        guard let path = string(key) else { return nil }
        if (try? Data(contentsOf: URL(filePath: path))) == nil {
            refuse(key, "\(path) cannot be read; check the path and its permissions")
        }
        return path
    }

    mutating func bool(_ key: String, default standard: Bool) -> Bool {
        guard let given = take(key) else { return standard }
        switch given.value {
        case .bool(let flag): return flag
        case .string("true"), .string("on"), .string("yes"), .string("1"): return true
        case .string("false"), .string("off"), .string("no"), .string("0"): return false
        default:
            refuse(given, "must be true or false")
            return standard
        }
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>, default standard: Int) -> Int {
        guard let given = take(key) else { return standard }
        let number: Int? =
            switch given.value {
            case .number(let double): Int(exactly: double)
            case .string(let text): Int(text)
            default: nil
            }
        guard let number, range.contains(number) else {
            refuse(given, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return standard
        }
        return number
    }

    /// A span of time such as `90s`, `15m`, `24h` or `400d`, in milliseconds.
    mutating func duration(_ key: String, default standard: Int64, orElse alternative: String = "") -> Int64 {
        guard let given = take(key) else { return standard }
        guard case .string(let text) = given.value, let unit = text.last,
            let factor = (["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000] as [Character: Int64])[unit],
            let count = Int64(text.dropLast()), count > 0, count <= 100_000
        else {
            refuse(given, "must be a span of time such as 90s, 15m, 24h or 400d\(alternative)")
            return standard
        }
        return count * factor
    }

    /// A span of time, or 0 for a rule that is switched off.
    mutating func durationOrZero(_ key: String, default standard: Int64) -> Int64 {
        switch take(key)?.value {
        case .number(0), .string("0"): 0
        default: duration(key, default: standard, orElse: " or 0")
        }
    }

    /// A list of strings; as a variable or a flag they are separated by commas.
    mutating func strings(_ key: String) -> [String] {
        guard let given = take(key) else { return [] }
        switch given.value {
        case .string(let text):
            return text.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }.map { String($0) }
                .filter { !$0.isEmpty }
        case .list(let values):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            if texts.count == values.count { return texts }
        default: break
        }
        refuse(given, "must be a list of strings")
        return []
    }

    /// A list of objects, in a file only.
    mutating func objects(_ key: String) -> [[String: SettingValue]] {
        guard let given = take(key) else { return [] }
        guard case .list(let values) = given.value else {
            refuse(given, "must be a list of objects; it can be set in the configuration file only")
            return []
        }
        let objects = values.compactMap { if case .object(let members) = $0 { members } else { nil } }
        if objects.count != values.count { refuse(given, "must be a list of objects") }
        return objects
    }

    /// The settings below a key whose names are the operator's own, in a file only: what stands behind the key and its dot.
    ///
    /// - Parameter example: an object to show to who gave something else.
    mutating func members(of key: String, like example: String) -> [(name: String, value: SettingValue)] {
        if isGiven(key) { refuse(key, "must be an object: \(example)") }
        return given.keys.filter { $0.hasPrefix("\(key).") }.sorted().compactMap { path in
            take(path).map { (String(path.dropFirst(key.count + 1)), $0.value) }
        }
    }

    /// Strings by names that are the operator's own, in a file only.
    mutating func strings(under key: String, like example: String) -> [String: String] {
        members(of: key, like: example).reduce(into: [:]) { found, member in
            found[member.name] = string("\(key).\(member.name)")
        }
    }

    /// A secret: the value itself, or the content of the file that `<key>File` names.
    ///
    /// A variable for one of the two goes before the other in the configuration file, as it would before the same.
    mutating func secret(_ key: String) -> String? {
        let spellings = [key, "\(key)File"]
        if spellings.contains(where: { given[Self.variableName(of: $0)] != nil }) {
            for spelling in spellings { given[spelling] = nil }
        }
        let value = string(key)
        guard let path = string("\(key)File") else { return value }
        guard value == nil else {
            unusableSecrets.insert(key)
            refuse("\(key)File", "give either \(key) or \(key)File, not both")
            return nil
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(bytes: data, encoding: .utf8)
        else {
            unusableSecrets.insert(key)
            refuse("\(key)File", "\(path) cannot be read; check the path and its permissions")
            return nil
        }
        judge(secretFile: path, of: "\(key)File")
        let trimmed = text.drop(while: \.isWhitespace)
        return String(
            trimmed[..<(trimmed.lastIndex { !$0.isWhitespace }.map(trimmed.index(after:)) ?? trimmed.startIndex)]
        )
    }

    /// The path of a file that can be read and holds a secret.
    mutating func secretFile(_ key: String) -> String? {
        let path = file(key)
        if let path { judge(secretFile: path, of: key) }
        return path
    }

    /// Refuses a secret's file that others may write, and warns of one that everybody may read.
    private mutating func judge(secretFile path: String, of key: String) {
        guard judgesSecretFiles, let access = FileAccess(path) else { return }
        if access.mayBeWrittenByOthers {
            refuse(key, "\(path) may be written by other users (mode \(access.mode)); run: chmod go-w \(path)")
        } else if access.mayBeReadByEverybody {
            warn(key, "\(path) may be read by every user of this machine (mode \(access.mode)); run: chmod o-r \(path)")
        }
    }

    /// One of the values of an enumeration.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String,
        default standard: Choice
    ) -> Choice {
        guard let text = string(key) else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(key, "must be one of \(choices)")
            return standard
        }
        return choice
    }

    /// Adds a problem for each key that nothing has asked for.
    mutating func refuseUnknown() {
        for (key, value) in given.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
            let variables = known.filter { $0.hasPrefix("LATCHKEY_") == key.hasPrefix("LATCHKEY_") }
            let nearest = variables.min { key.distance(to: $0) < key.distance(to: $1) }
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            problems.append("\(value.origin): unknown setting\(hint)")
        }
    }
}

extension String {
    /// How many edits lead from one short word to another (Levenshtein), to suggest what was meant.
    fileprivate func distance(to other: String) -> Int {
        let target = Array(other)
        var row = Array(0...target.count)
        for (i, character) in self.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in target.indices {
                let above = row[j + 1]
                row[j + 1] = Swift.min(above + 1, row[j] + 1, diagonal + (character == target[j] ? 0 : 1))
                diagonal = above
            }
        }
        return row[target.count]
    }
}
