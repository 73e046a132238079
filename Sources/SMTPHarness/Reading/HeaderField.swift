/// One field of a header: a name and an unfolded value (RFC 5322 §2.2).
package struct HeaderField: Sendable, Equatable {
    /// The name as it was written.
    package let name: String
    /// The value without line breaks and outer spaces; bytes that are no UTF-8 are replaced.
    package let value: String

    private static let maximumFields = 1000

    /// Reads a header up to its empty line, and returns at most 1000 fields and the bytes after that line.
    ///
    /// Both CR LF and LF end a line. A line that is not a field is skipped.
    static func read(_ bytes: ArraySlice<UInt8>) -> (fields: [HeaderField], body: ArraySlice<UInt8>) {
        var fields: [HeaderField] = []
        var current: [UInt8] = []
        var lines = LineReader(bytes)
        while let line = lines.next() {
            if line.isEmpty { break }
            if let first = line.first, first == 0x20 || first == 0x09, !current.isEmpty {
                current += line
                continue
            }
            append(current, to: &fields)
            current = Array(line)
        }
        append(current, to: &fields)
        return (fields, lines.rest)
    }

    private static func append(_ line: [UInt8], to fields: inout [HeaderField]) {
        guard fields.count < maximumFields, let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            return
        }
        let name = line[..<colon].trimmingBlanks
        guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return }
        fields.append(
            HeaderField(
                name: String(decoding: name, as: UTF8.self),
                value: String(decoding: line[(colon + 1)...].trimmingBlanks, as: UTF8.self)
            )
        )
    }
}

extension [HeaderField] {
    func first(named name: String) -> String? {
        let name = name.lowercased()
        return first { $0.name.lowercased() == name }?.value
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    var trimmingBlanks: ArraySlice<UInt8> {
        var slice = self
        while let first = slice.first, first == 0x20 || first == 0x09 { slice.removeFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice.removeLast() }
        return slice
    }
}
