/// An input of a command, read as a whole.
enum InputFile {
    /// The maximum size in bytes, larger than any request that a server accepts.
    private static let maximumSize = 4 << 20

    /// Reads a file up to a size, and ignores what follows; `-` is standard input.
    ///
    /// - Throws: ``Failure`` if the file cannot be read.
    static func read(_ path: String, upTo size: Int) throws(Failure) -> [UInt8] {
        var file = try LargeInput(path)
        var bytes: [UInt8] = []
        while true {
            let piece = try file.read()
            // Read to the end, so that the program before the pipe can finish.
            if piece.isEmpty { return bytes }
            bytes += piece.prefix(max(0, size - bytes.count))
        }
    }

    /// Reads a whole file; `-` is standard input.
    ///
    /// - Throws: ``Failure`` if the file cannot be read or has more than 4 MiB.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        var file = try LargeInput(path)
        var bytes: [UInt8] = []
        while true {
            let piece = try file.read()
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= maximumSize else {
                throw Failure("\(path == "-" ? "standard input" : path) is too large.", code: "tooLarge")
            }
        }
    }
}
