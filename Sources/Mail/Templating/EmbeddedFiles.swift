internal import Resources

/// The files embedded in the binary.
package enum EmbeddedFiles {
    /// Returns the files below a folder.
    ///
    /// - Parameter folder: a path from the project's root with a slash at its end, such as "Templates/email/".
    /// - Returns: their contents by path below the folder.
    package static func below(_ folder: String) -> [String: [UInt8]] { files(below: folder).mapValues(\.bytes) }

    /// Returns the files below a folder, by path below the folder, without copying their contents.
    static func files(below folder: String) -> [String: EmbeddedFile] {
        var count = 0
        guard let list = unsafe latchkey_resources(&count) else { return [:] }
        var files: [String: EmbeddedFile] = [:]
        for index in 0..<count {
            let path = unsafe String(cString: list[index].path)
            guard path.hasPrefix(folder) else { continue }
            files[String(path.dropFirst(folder.count))] = EmbeddedFile(index: index)
        }
        return files
    }
}

/// A file embedded in the binary, whose content is copied only when it is read.
struct EmbeddedFile: Sendable {
    /// The place in the list of all embedded files.
    fileprivate let index: Int

    /// A copy of the content.
    var bytes: [UInt8] {
        var count = 0
        guard let list = unsafe latchkey_resources(&count), index < count else { return [] }
        let resource = unsafe list[index]
        return unsafe Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
    }
}
