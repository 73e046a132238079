/// The head of an HTTP response, built from its lines.
struct ResponseHead {
    /// The maximum number of bytes of all heads of a response together, interim ones included.
    static let capacity = 64 << 10

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    /// Whether the final head is complete; that of 100 Continue, or of another interim response, is not the final one.
    private(set) var isComplete = false
    private var bytes = 0

    /// Adds a line of this head, or the first line of the next one.
    ///
    /// - Returns: false if the head is too long.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        bytes += line.count
        guard bytes <= Self.capacity else { return false }
        if unsafe line.starts(with: "HTTP/".utf8) {
            status = unsafe Self.words(line[...]).dropFirst().first.flatMap { Int($0) } ?? 0
            headers = []
        } else if let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) {
            let name = unsafe String(decoding: line[..<colon], as: UTF8.self)
            let value = unsafe Self.words(line[(colon + 1)...]).joined(separator: " ")
            headers.append((name, value))
        } else if unsafe line.allSatisfy(Self.isSpace) {
            isComplete = status >= 200
        }
        return true
    }

    private static func words(_ bytes: Slice<UnsafeRawBufferPointer>) -> [String] {
        unsafe bytes.split(whereSeparator: isSpace).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
}
