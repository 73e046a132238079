/// The problems of a configuration, all of them at once.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// Creates an error with one problem of a setting, which is found where the setting is used.
    init(_ key: String, _ reason: String) {
        self.init(problems: [ConfigurationProblem(SettingOrigin(key: key), reason)])
    }

    /// A line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// One problem of a configuration, with its place.
package struct ConfigurationProblem: Sendable, Equatable, Encodable, CustomStringConvertible {
    /// The configuration file; `nil` for a problem of an environment variable, an option or a missing setting.
    package let file: String?
    /// The line in the file, from 1; `nil` if the problem has none.
    package let line: Int?
    /// The column of a text that is not JSON5, from 1; otherwise `nil`.
    package let column: Int?
    /// The setting's key or the environment variable; `nil` for a problem of the whole file.
    package private(set) var key: String?
    /// What is wrong, and what would be right.
    package let reason: String

    init(file: String, line: Int? = nil, column: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        key = nil
        self.reason = reason
    }

    init(_ origin: SettingOrigin, _ reason: String) {
        file = origin.file
        line = origin.line
        column = nil
        key = origin.key
        self.reason = reason
    }

    /// Returns the problem with another name for its key.
    func named(_ name: String) -> Self {
        var problem = self
        problem.key = name
        return problem
    }

    /// The problem as compilers print theirs: `latchkey.json5:3: threads: must be a whole number from 1 to 256`.
    package var description: String {
        let place = [file, line.map { "\($0)" }, column.map { "\($0)" }].compactMap(\.self).joined(separator: ":")
        return [place.isEmpty ? nil : place, key, reason].compactMap(\.self).joined(separator: ": ")
    }
}

/// Where a setting was given.
struct SettingOrigin: Sendable, CustomStringConvertible {
    /// The configuration file; `nil` for an environment variable, an option or a missing setting.
    var file: String?
    /// The line of the key in the file, from 1.
    var line: Int?
    /// The key in the file, or the name of the environment variable.
    let key: String

    /// The place alone, for a list in which the key stands beside it.
    var shown: String { file.map { "\($0)\(line.map { ":\($0)" } ?? "")" } ?? key }

    var description: String {
        guard let file else { return key }
        return "\(file):\(line.map { "\($0):" } ?? "") \(key)"
    }
}
