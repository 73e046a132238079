/// Lines of bytes without their ends, which may be CR LF or LF.
struct LineReader {
    /// The bytes that were not read yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: 10) ?? rest.endIndex
        var line = rest[..<end]
        if end < rest.endIndex, line.last == 13 { line.removeLast() }
        rest = rest[Swift.min(end + 1, rest.endIndex)...]
        return line
    }
}
