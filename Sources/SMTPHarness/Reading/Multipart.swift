/// The body of a multipart: pieces between boundary lines (RFC 2046 §5.1.1).
enum Multipart {
    /// Splits a body into its parts, without preamble and epilogue.
    ///
    /// The last boundary may be missing.
    static func split(_ body: ArraySlice<UInt8>, boundary: [UInt8]) -> [ArraySlice<UInt8>] {
        let delimiter: [UInt8] = [0x2d, 0x2d] + boundary
        var pieces: [ArraySlice<UInt8>] = []
        var start: Int?
        var lines = LineReader(body)
        while true {
            let lineStart = lines.rest.startIndex
            guard let line = lines.next() else { break }
            guard line.starts(with: delimiter) else { continue }
            let tail = line.dropFirst(delimiter.count).trimmingBlanks
            let isLast = tail.elementsEqual([0x2d, 0x2d])
            guard tail.isEmpty || isLast else { continue }
            if let start { pieces.append(body[start..<endOfPiece(body, start, lineStart)]) }
            start = lines.rest.startIndex
            if isLast { return pieces }
        }
        if let start, start < body.endIndex { pieces.append(body[start...]) }
        return pieces
    }

    /// Returns where a part ends: before the line end that precedes a boundary, because that line end belongs to the
    /// boundary.
    private static func endOfPiece(_ body: ArraySlice<UInt8>, _ start: Int, _ boundary: Int) -> Int {
        var end = boundary
        if end > start, body[end - 1] == 10 { end -= 1 }
        if end > start, end < boundary, body[end - 1] == 13 { end -= 1 }
        return end
    }
}
