internal import Resources

/// The files embedded in the binary.
package enum EmbeddedFiles {
    /// Returns the files below a folder.
    ///
    /// - Parameter folder: a path from the project's root with a slash at its end, such as "Templates/email/".
    /// - Returns: their contents by path below the folder.
    package static func below(_ folder: String) -> [String: [UInt8]] {
        var count = 0
        guard let list = unsafe latchkey_resources(&count) else { return [:] }
        var files: [String: [UInt8]] = [:]
        for index in 0..<count {
            let resource = unsafe list[index]
            let path = unsafe String(cString: resource.path)
            guard path.hasPrefix(folder) else { continue }
            let bytes = unsafe Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
            files[String(path.dropFirst(folder.count))] = bytes
        }
        return files
    }
}
