internal import FoundationEssentials
internal import JSON

/// The settings that were given in the configuration file and the environment, which overrides the file.
///
/// Reading a setting checks its value and records problems with it.
///
/// Keys are dotted camel case (`limits.mailsPerAddress`); the environment variable of a key is `LATCHKEY_` and its
/// words in upper case (`LATCHKEY_LIMITS_MAILS_PER_ADDRESS`).
struct Settings {
    private struct Given {
        let value: SettingValue
        let origin: SettingOrigin
    }

    /// Variables that start with `LATCHKEY_` but are not settings: values of command-line options, and the program's
    /// path for tests and scripts.
    private static let foreignVariables: Set<String> = [
        "LATCHKEY_URL", "LATCHKEY_SESSION", "LATCHKEY_API_KEY", "LATCHKEY_CONFIG", "LATCHKEY_BINARY",
    ]

    private var given: [String: Given] = [:]
    private var known: Set<String> = []
    /// The settings that were read, by key.
    private var shown: [String: EffectiveSetting] = [:]
    private(set) var problems: [ConfigurationProblem] = []
    /// Warnings about allowed values that should be corrected.
    private(set) var warnings: [String] = []
    /// Problems that `latchkey check-config` refuses and the start does not.
    private(set) var harmlessProblems: [ConfigurationProblem] = []
    /// Whether the permissions of files with secrets are checked.
    var judgesSecretFiles = false
    /// The keys of secrets whose absence is no further problem: those that are not read, and those that are given but
    /// unusable, for which a problem is already recorded.
    private(set) var excusedSecrets: Set<String> = []
    /// The secrets that are read.
    private let secrets: ConfigurationSecrets

    /// Collects the settings.
    ///
    /// - Parameters:
    ///   - file: the path of a JSON5 file, or `nil`.
    ///   - environment: all variables. Those that start with `LATCHKEY_` count.
    ///   - secrets: the secrets that are read.
    init(file: String?, environment: [String: String], secrets: ConfigurationSecrets = .all) {
        self.secrets = secrets
        if let file { read(file: file) }
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("LATCHKEY_") && !Self.foreignVariables.contains(name) {
            read(variable: name, value)
        }
    }

    private mutating func read(file: String) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            problems.append(.init(file: file, reason: "cannot be read; check the path and its permissions"))
            return
        }
        do throws(JSON5Error) {
            guard case .object(let members) = try JSON5Value.parse(Array(data)) else {
                problems.append(.init(file: file, reason: "the file must contain one object, { … }"))
                return
            }
            flatten(members, prefix: "", file: file)
        } catch {
            problems.append(
                .init(file: file, line: error.line, column: error.column, reason: "not valid JSON5: \(error.reason)")
            )
        }
    }

    private mutating func flatten(_ members: [JSON5Member], prefix: String, file: String) {
        for member in members {
            let key = prefix + member.name
            // An empty provider is an error to report, and not the same as no provider.
            if case .object(let inner) = member.value, !inner.isEmpty || prefix != "providers." {
                flatten(inner, prefix: "\(key).", file: file)
            } else {
                given[key] = Given(
                    value: SettingValue(member.value),
                    origin: SettingOrigin(file: file, line: member.line, key: key)
                )
            }
        }
    }

    /// Keeps a variable under its own name until a key reads it, because the name alone does not determine the key.
    private mutating func read(variable name: String, _ value: String) {
        given[name] = Given(value: .string(value), origin: SettingOrigin(key: name))
    }

    /// The values of the file by key, without those that a variable or an option overrides.
    var fileValues: [String: SettingValue] {
        given.mapValues(\.value).filter { key, _ in
            !key.hasPrefix("LATCHKEY_") && given[SettingName.variable(of: key)] == nil
        }
    }

    // MARK: Reading

    /// Sets a key to a value that another setting contains.
    ///
    /// The environment still overrides it.
    mutating func suggest(_ key: String, _ value: String, origin: SettingOrigin) {
        given[key] = Given(value: .string(value), origin: origin)
    }

    /// Returns the effective value of a key, with its origin, and marks the key as known; `nil` if it is not given.
    private mutating func take(_ key: String) -> Given? {
        let variable = SettingName.variable(of: key)
        known.insert(key)
        known.insert(variable)
        return given[variable] ?? given[key]
    }

    /// Records the effective value of a key for operators, unless it was recorded.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - standard: the default; `nil` for none.
    ///   - isSecret: whether no part of a given value may be shown.
    private mutating func note(_ key: String, default standard: String?, isSecret: Bool = false) {
        guard shown[key] == nil else { return }
        let given = take(key)
        let value = given.map { isSecret ? "********" : $0.value.shown }
        shown[key] = EffectiveSetting(
            key: key,
            value: value ?? standard,
            origin: given.map { $0.origin.shown } ?? EffectiveSetting.standard
        )
    }

    /// Records defaults that only the reader of a setting knows.
    mutating func supply(_ defaults: [String: String?]) {
        for (key, value) in defaults where shown[key]?.value == nil {
            let origin = shown[key]?.origin ?? EffectiveSetting.standard
            shown[key] = EffectiveSetting(key: key, value: value, origin: origin)
        }
    }

    /// The settings that were read, by key.
    var effective: [EffectiveSetting] { shown.values.sorted { $0.key < $1.key } }

    /// Whether a key is given, even if it is empty.
    mutating func isGiven(_ key: String) -> Bool { take(key) != nil }

    private mutating func refuse(_ given: Given, _ reason: String) {
        problems.append(.init(given.origin, reason))
    }

    /// Records a problem with a key: with where its value was given, or if it was not given, with the key itself.
    mutating func refuse(_ key: String, _ reason: String) {
        problems.append(.init(origin(of: key), reason))
    }

    /// Records a warning about a key, located as in ``refuse(_:_:)``.
    mutating func warn(_ key: String, _ reason: String) {
        warnings.append("\(origin(of: key)): \(reason)")
    }

    private mutating func origin(of key: String) -> SettingOrigin { take(key)?.origin ?? SettingOrigin(key: key) }

    /// Records a problem that does not stop the start, located as in ``refuse(_:_:)``.
    mutating func refuseWithoutStopping(_ key: String, _ reason: String) {
        harmlessProblems.append(.init(origin(of: key), reason))
    }

    mutating func string(_ key: String) -> String? {
        note(key, default: nil)
        guard let given = take(key) else { return nil }
        guard case .string(let text) = given.value, !text.isEmpty else {
            refuse(given, "must be a non-empty string")
            return nil
        }
        return text
    }

    /// Returns the path of a file; `nil` if the key is not given or not a non-empty string.
    ///
    /// Records a problem if the file cannot be read, and returns its path nevertheless.
    mutating func file(_ key: String) -> String? {
        guard let path = string(key) else { return nil }
        if (try? Data(contentsOf: URL(filePath: path))) == nil {
            refuse(key, "\(path) cannot be read; check the path and its permissions")
        }
        return path
    }

    mutating func bool(_ key: String, default standard: Bool) -> Bool {
        note(key, default: "\(standard)")
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
        note(key, default: "\(standard)")
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

    /// Returns a duration such as `90s`, `15m`, `24h` or `400d`, in milliseconds; the default if it is missing or
    /// invalid.
    ///
    /// - Parameter alternative: another allowed value, which the problem names if the duration is invalid, such as ` or
    ///   0`.
    mutating func duration(_ key: String, default standard: Int64, orElse alternative: String = "") -> Int64 {
        note(key, default: Self.text(ofDuration: standard))
        guard let given = take(key) else { return standard }
        guard case .string(let text) = given.value, let unit = text.last,
            let factor = (["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000] as [Character: Int64])[unit],
            let count = Int64(text.dropLast()), count > 0, count <= 100_000
        else {
            refuse(given, "must be a duration such as 90s, 15m, 24h or 400d\(alternative)")
            return standard
        }
        return count * factor
    }

    /// Returns a duration in milliseconds as ``duration(_:default:orElse:)`` does, or for the value `0`, which switches
    /// a rule off, 0.
    mutating func durationOrZero(_ key: String, default standard: Int64) -> Int64 {
        note(key, default: Self.text(ofDuration: standard))
        return switch take(key)?.value {
        case .number(0), .string("0"): 0
        default: duration(key, default: standard, orElse: " or 0")
        }
    }

    /// Returns a duration in milliseconds in the form in which it is given.
    private static func text(ofDuration milliseconds: Int64) -> String {
        guard milliseconds > 0 else { return "0" }
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        let unit = units.first { milliseconds % $0.1 == 0 }
        return unit.map { "\(milliseconds / $0.1)\($0.0)" } ?? "\(milliseconds)ms"
    }

    /// Returns a list of strings, separated by commas in a variable or an option; empty if it is missing or invalid.
    mutating func strings(_ key: String) -> [String] {
        note(key, default: nil)
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

    /// Returns a list of objects, from the file only; empty if it is missing or no list.
    ///
    /// Elements that are no objects are left out, and recorded as a problem.
    mutating func objects(_ key: String) -> [[String: SettingValue]] {
        note(key, default: nil)
        guard let given = take(key) else { return [] }
        guard case .list(let values) = given.value else {
            refuse(given, "must be a list of objects; it can be set in the configuration file only")
            return []
        }
        let objects = values.compactMap { if case .object(let members) = $0 { members } else { nil } }
        if objects.count != values.count { refuse(given, "must be a list of objects") }
        return objects
    }

    /// Returns the settings below a key whose names the operator chooses, from the file only.
    ///
    /// Their names are without the key and its dot.
    ///
    /// - Parameter example: an object to show in the error for any other value.
    mutating func members(of key: String, like example: String) -> [(name: String, value: SettingValue)] {
        if isGiven(key) { refuse(key, "must be an object: \(example)") }
        return given.keys.filter { $0.hasPrefix("\(key).") }.sorted().compactMap { path in
            take(path).map { (String(path.dropFirst(key.count + 1)), $0.value) }
        }
    }

    /// Returns the strings below a key by their names, which the operator chooses, from the file only.
    ///
    /// Other values are left out, and recorded as problems.
    mutating func strings(under key: String, like example: String) -> [String: String] {
        members(of: key, like: example).reduce(into: [:]) { found, member in
            found[member.name] = string("\(key).\(member.name)")
        }
    }

    /// Whether no part of a secret is shown.
    ///
    /// Only those that are URLs are shown, without their credentials.
    private static func isOpaque(_ key: String) -> Bool { key != "smtpURL" && !key.hasPrefix("database") }

    /// Returns a secret: the value itself, or the contents of the file that `<key>File` names, without white space at
    /// both ends; `nil` if it is missing or unusable, or not to be read.
    ///
    /// A variable for either of the two overrides both in the configuration file.
    mutating func secret(_ key: String) -> String? {
        let spellings = [key, "\(key)File"]
        if spellings.contains(where: { given[SettingName.variable(of: $0)] != nil }) {
            for spelling in spellings { given[spelling] = nil }
        }
        note(key, default: nil, isSecret: Self.isOpaque(key))
        guard reads(key) else { return nil }
        let value = string(key)
        guard let path = string("\(key)File") else { return value }
        guard value == nil else {
            excusedSecrets.insert(key)
            refuse("\(key)File", "give either \(key) or \(key)File, not both")
            return nil
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(bytes: data, encoding: .utf8)
        else {
            excusedSecrets.insert(key)
            refuse("\(key)File", "\(path) cannot be read; check the path and its permissions")
            return nil
        }
        judge(secretFile: path, of: "\(key)File")
        let trimmed = text.drop(while: \.isWhitespace)
        return String(
            trimmed[..<(trimmed.lastIndex { !$0.isWhitespace }.map(trimmed.index(after:)) ?? trimmed.startIndex)]
        )
    }

    /// Whether a secret is to be read; if not, marks its two spellings as known, and its absence as no problem.
    mutating func reads(_ key: String) -> Bool {
        guard !secrets.include(key) else { return true }
        note(key, default: nil, isSecret: Self.isOpaque(key))
        note("\(key)File", default: nil)
        known.formUnion([key, SettingName.variable(of: key)])
        excusedSecrets.insert(key)
        return false
    }

    /// Returns the path of a file that contains a secret; `nil` if the key is not given or not a non-empty string.
    ///
    /// Records a problem if the file cannot be read, and checks its permissions if ``judgesSecretFiles`` is set.
    mutating func secretFile(_ key: String) -> String? {
        guard reads(key) else { return string(key) }
        let path = file(key)
        if let path { judge(secretFile: path, of: key) }
        return path
    }

    /// Records a problem if the group or every user may write a secret's file, or a warning if every user may read the
    /// file.
    private mutating func judge(secretFile path: String, of key: String) {
        guard judgesSecretFiles, let access = FileAccess(path) else { return }
        if access.mayBeWrittenByOthers {
            refuse(key, "\(path) may be written by other users (mode \(access.mode)); run: chmod go-w \(path)")
        } else if access.isWorldReadable {
            warn(key, "\(path) may be read by every user of this machine (mode \(access.mode)); run: chmod o-r \(path)")
        }
    }

    /// Returns one of the values of an enumeration; the default if the key is missing or has another value.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String,
        default standard: Choice
    ) -> Choice {
        note(key, default: standard.rawValue)
        guard let text = string(key) else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(key, "must be one of \(choices)")
            return standard
        }
        return choice
    }

    /// Records a problem for each key that was not read.
    mutating func refuseUnknown() {
        for (key, value) in given.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
            let near = SettingName.nearest(to: key, among: known)
            let hint = near.map { "; did you mean \($0)?" } ?? ""
            problems.append(.init(value.origin, "unknown setting\(hint)"))
        }
    }
}
