extension Span<UInt8> {
    /// Returns the index of the first byte from `start` on that a JSON string does not contain as it is: a quotation
    /// mark, a backslash or a control character (RFC 8259 section 7).
    ///
    /// - Returns: the index; the number of bytes if there is no such byte.
    func firstIndexOfSpecial(from start: Int) -> Int {
        typealias Block = SIMD16<UInt8>
        var index = start
        // ID tokens are long, and are read or written with each call.
        while index + Block.scalarCount <= count {
            let block = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: Block.self)
            let special = (block .< 0x20) .| (block .== UInt8(ascii: "\"")) .| (block .== UInt8(ascii: "\\"))
            if any(special) { break }
            index += Block.scalarCount
        }
        while index < count, !Self.isSpecial(self[index]) { index += 1 }
        return index
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
