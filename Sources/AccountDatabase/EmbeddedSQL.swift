internal import Resources

/// The SQL files that are embedded in the binary.
enum EmbeddedSQL {
    /// Returns the SQL files of a folder below `Sources/AccountDatabase`, with their contents.
    static func files(in folder: String) -> [(name: Substring, sql: String)] {
        let prefix = "Sources/AccountDatabase/\(folder)/"
        var count = 0
        guard let files = unsafe latchkey_resources(&count) else { return [] }
        return (0..<count).compactMap { index in
            let file = unsafe files[index]
            let path = unsafe String(cString: file.path)
            guard path.hasPrefix(prefix), path.hasSuffix(".sql") else { return nil }
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
            return unsafe (path.dropFirst(prefix.count), String(decoding: bytes, as: UTF8.self))
        }
    }
}
