internal import FoundationEssentials

/// A folder of templates: the embedded files, each replaced by the file of the same path in an operator's folder.
package struct TemplateFolder: Sendable {
    private struct File: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    private let name: String
    private let files: [String: File]

    /// Loads a folder.
    ///
    /// - Parameters:
    ///   - name: the folder below Templates/, "email" or "pages".
    ///   - folder: an operator's folder laid out like Templates/, whose files replace or add to the embedded ones; nil: none.
    /// - Throws: `TemplateError` for a folder or file that cannot be read.
    package init(_ name: String, overriding folder: String? = nil) throws(TemplateError) {
        var files: [String: File] = [:]
        for (path, bytes) in EmbeddedFiles.below("Templates/\(name)/") {
            files[path] = File(name: "Templates/\(name)/\(path)", bytes: bytes)
        }
        if let folder { files.merge(try Self.read("\(folder)/\(name)", within: folder)) { _, own in own } }
        self.name = "\(folder ?? "Templates")/\(name)"
        self.files = files
    }

    /// A folder held in memory.
    ///
    /// - Parameters:
    ///   - name: what errors call it.
    ///   - contents: the files by path.
    package init(_ name: String, contents: [String: String]) {
        self.name = name
        files = contents.reduce(into: [:]) { files, file in
            files[file.key] = File(name: "\(name)/\(file.key)", bytes: Array(file.value.utf8))
        }
    }

    /// The paths of all files below the folder, sorted.
    package var paths: [String] { files.keys.sorted() }

    /// The name of a file for error messages: where it came from, or where it is missing.
    package func displayName(_ path: String) -> String { files[path]?.name ?? "\(name)/\(path)" }

    /// A file as it is, nil if there is none.
    package func bytes(_ path: String) -> [UInt8]? { files[path]?.bytes }

    /// A file as text.
    ///
    /// - Throws: `TemplateError` if it is missing or not UTF-8.
    package func text(_ path: String) throws(TemplateError) -> String {
        guard let file = files[path] else {
            throw TemplateError(file: displayName(path), line: nil, reason: "the file is missing")
        }
        // Some editors put a byte order mark first.
        let bytes = file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? file.bytes.dropFirst(3) : file.bytes[...]
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TemplateError(file: file.name, line: nil, reason: "not UTF-8")
        }
        return text
    }

    /// A file compiled as a template.
    ///
    /// - Parameters:
    ///   - path: the file below the folder.
    ///   - format: what it is.
    ///   - placeholders: the placeholders there are.
    ///   - raw: those that stand raw, in three braces.
    /// - Returns: the template.
    /// - Throws: `TemplateError` for a missing file or anything wrong in it.
    package func template(
        _ path: String,
        format: Template.Format,
        placeholders: Set<String>,
        raw: Set<String> = []
    ) throws(TemplateError) -> Template {
        try Template(
            text(path),
            file: displayName(path),
            format: format,
            placeholders: placeholders,
            raw: raw
        )
    }

    private static func read(_ folder: String, within parent: String) throws(TemplateError) -> [String: File] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: parent) else {
            throw TemplateError(file: "templates", line: nil, reason: "there is no folder \(parent)")
        }
        guard manager.fileExists(atPath: folder) else { return [:] }
        guard let paths = try? manager.subpathsOfDirectory(atPath: folder) else {
            throw TemplateError(file: folder, line: nil, reason: "the folder cannot be read")
        }
        var files: [String: File] = [:]
        for path in paths where !isIgnored(path) {
            let name = "\(folder)/\(path)"
            var isFolder = false
            guard manager.fileExists(atPath: name, isDirectory: &isFolder), !isFolder else { continue }
            guard let data = manager.contents(atPath: name), data.count <= 1 << 20 else {
                throw TemplateError(file: name, line: nil, reason: "the file cannot be read or is above 1 MiB")
            }
            files[path] = File(name: name, bytes: Array(data))
        }
        return files
    }

    /// Hidden files and what editors leave behind.
    private static func isIgnored(_ path: String) -> Bool {
        path.hasSuffix("~") || path.hasSuffix(".md") || path.split(separator: "/").contains { $0.hasPrefix(".") }
    }
}
