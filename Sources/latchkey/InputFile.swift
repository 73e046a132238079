/// What a command is given to read, in one piece.
enum InputFile {
    /// Above any request that a server takes.
    private static let maximumSize = 4 << 20

    /// Reads a whole file; `-` is standard input.
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
