internal import FoundationEssentials

/// The files of `Templates/`: the embedded ones, each replaced by a file of the same path in an operator's folder.
///
/// Texts and colors are not replaced as whole files: ``versions(_:)`` returns both, to be merged.
package struct TemplateFolder: Sendable {
    private struct File: Sendable {
        enum Content: Sendable {
            case embedded(EmbeddedFile)
            case own([UInt8])
        }

        let name: String
        let content: Content

        var bytes: [UInt8] {
            switch content {
            case .embedded(let file): file.bytes
            case .own(let bytes): bytes
            }
        }
    }

    /// The folders below `Templates/` from which files are loaded.
    private static let subfolders = ["email", "pages", "strings"]
    /// The path of the file with the colors.
    static let colors = "colors.json"

    private let name: String
    private let embedded: [String: File]
    private let own: [String: File]

    /// Loads the embedded files and an operator's.
    ///
    /// - Parameter folder: an operator's folder with the layout of `Templates/`; `nil` for none.
    /// - Throws: `TemplateError` for a folder or file that cannot be read, or a file above 1 MiB.
    package init(overriding folder: String? = nil) throws(TemplateError) {
        var embedded: [String: File] = [:]
        for (path, file) in EmbeddedFiles.files(below: "Templates/") {
            embedded[path] = File(name: "Templates/\(path)", content: .embedded(file))
        }
        self.embedded = embedded
        own = if let folder { try Self.read(folder) } else { [:] }
        name = folder ?? "Templates"
    }

    /// All files below a folder, without the folder, sorted.
    package func paths(below folder: String) -> [String] {
        Set(embedded.keys).union(own.keys).filter { $0.hasPrefix(folder + "/") }.map {
            String($0.dropFirst(folder.count + 1))
        }.sorted()
    }

    /// Whether there are files of an operator.
    var isOperators: Bool { !own.isEmpty }

    /// The paths of the operator's files below the operator's folder, sorted.
    var ownPaths: [String] { own.keys.sorted() }

    /// Returns the name under which the operator can find a file; for a missing file, where the operator can put it.
    package func displayName(_ path: String) -> String { file(path)?.name ?? "\(name)/\(path)" }

    /// Returns a file as text.
    ///
    /// - Throws: `TemplateError` if it is missing or not UTF-8.
    package func text(_ path: String) throws(TemplateError) -> String {
        guard let file = file(path) else {
            throw TemplateError(file: displayName(path), line: nil, reason: "the file is missing")
        }
        return try Self.text(file)
    }

    /// A file that adds to the embedded one of the same path, or the embedded one itself.
    struct Version {
        let name: String
        let text: String
        let isOwn: Bool
    }

    /// Returns the versions of a file that add to each other: the embedded one, then the operator's.
    ///
    /// - Throws: `TemplateError` if one is not UTF-8.
    func versions(_ path: String) throws(TemplateError) -> [Version] {
        var versions: [Version] = []
        for (file, isOwn) in [(embedded[path], false), (own[path], true)] {
            guard let file else { continue }
            versions.append(Version(name: file.name, text: try Self.text(file), isOwn: isOwn))
        }
        return versions
    }

    /// Compiles a file as a template.
    ///
    /// - Parameters:
    ///   - path: the file below the folder.
    ///   - format: its format.
    ///   - placeholders: the known placeholders.
    ///   - raw: those that must be raw, in three braces.
    ///   - optional: those for which the file may have sections.
    /// - Returns: the template.
    /// - Throws: `TemplateError` for a missing file or any error in it.
    package func template(
        _ path: String,
        format: Template.Format,
        placeholders: Set<String>,
        raw: Set<String> = [],
        optional: Set<String> = []
    ) throws(TemplateError) -> Template {
        try Template(
            text(path),
            file: displayName(path),
            format: format,
            placeholders: placeholders,
            raw: raw,
            optional: optional
        )
    }

    private func file(_ path: String) -> File? { own[path] ?? embedded[path] }

    private static func text(_ file: File) throws(TemplateError) -> String {
        // Some editors start a file with a byte order mark.
        let bytes = file.bytes
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw TemplateError(file: file.name, line: nil, reason: "not UTF-8")
        }
        return text
    }

    private static func read(_ folder: String) throws(TemplateError) -> [String: File] {
        guard FileManager.default.fileExists(atPath: folder) else {
            throw TemplateError(file: "templates", line: nil, reason: "there is no folder \(folder)")
        }
        var files: [String: File] = [:]
        for subfolder in subfolders { try read(subfolder, of: folder, into: &files) }
        if FileManager.default.fileExists(atPath: "\(folder)/\(colors)") {
            files[colors] = try file("\(folder)/\(colors)")
        }
        return files
    }

    private static func read(
        _ subfolder: String,
        of folder: String,
        into files: inout [String: File]
    ) throws(TemplateError) {
        let manager = FileManager.default
        guard manager.fileExists(atPath: "\(folder)/\(subfolder)") else { return }
        guard let paths = try? manager.subpathsOfDirectory(atPath: "\(folder)/\(subfolder)") else {
            throw TemplateError(file: "\(folder)/\(subfolder)", line: nil, reason: "the folder cannot be read")
        }
        for path in paths where !isIgnored(path) {
            let name = "\(folder)/\(subfolder)/\(path)"
            var isFolder = false
            guard manager.fileExists(atPath: name, isDirectory: &isFolder), !isFolder else { continue }
            files["\(subfolder)/\(path)"] = try file(name)
        }
    }

    private static func file(_ name: String) throws(TemplateError) -> File {
        guard let data = FileManager.default.contents(atPath: name), data.count <= 1 << 20 else {
            throw TemplateError(file: name, line: nil, reason: "the file cannot be read or is larger than 1 MiB")
        }
        return File(name: name, content: .own(Array(data)))
    }

    /// Whether to ignore a file: hidden, a backup of an editor, or Markdown.
    private static func isIgnored(_ path: String) -> Bool {
        path.hasSuffix("~") || path.hasSuffix(".md") || path.split(separator: "/").contains { $0.hasPrefix(".") }
    }
}
