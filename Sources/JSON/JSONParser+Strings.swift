extension JSONParser {
    /// Reads a string from its opening quote through its closing quote (RFC 8259 section 7).
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset + 1
        let end = bytes.firstIndexOfSpecial(from: start)
        guard end < bytes.count else { throw JSONError(.unexpectedEnd, at: end) }
        switch bytes[end] {
        case UInt8(ascii: "\""):
            offset = end + 1
            return try Self.text(bytes.extracting(start..<end), at: start)
        case UInt8(ascii: "\\"):
            offset = end
            return try stringWithEscapes(bytes, from: start)
        default:
            throw JSONError(.controlCharacter, at: end)
        }
    }

    /// Reads a string whose first backslash is at `offset`; the bytes from `start` to it need no decoding.
    private mutating func stringWithEscapes(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> String {
        var decoded: [UInt8] = []
        var run = start
        while true {
            guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                // An escape is a whole character of ASCII, so the bytes between escapes can be checked run by run.
                try Self.append(bytes.extracting(run..<offset), at: run, to: &decoded)
                offset += 1
                return String(decoding: decoded, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try Self.append(bytes.extracting(run..<offset), at: run, to: &decoded)
                try escape(bytes, into: &decoded)
                run = offset
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: offset)
            default:
                offset += 1
            }
        }
    }

    private mutating func escape(_ bytes: Span<UInt8>, into decoded: inout [UInt8]) throws(JSONError) {
        let start = offset
        guard start + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        offset += 2
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): decoded.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): decoded.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): decoded.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            decoded.append(contentsOf: String(try escapedScalar(bytes, from: start)).utf8)
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Reads the digits of `\u…` and, after the first half of a surrogate pair, the `\u…` of the second.
    private mutating func escapedScalar(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try fourDigits(bytes, from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A value that is not a scalar is a surrogate, which must be the first of a pair.
        guard UTF16.isLeadSurrogate(first), offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        offset += 2
        let second = try fourDigits(bytes, from: offset - 2)
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func fourDigits(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
            guard let digit = Self.hexadecimal(bytes[offset]) else { throw JSONError(.invalidEscape, at: start) }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Makes a string from UTF-8; `offset` is the position of the bytes in the text, for the error's offset.
    static func text(_ bytes: Span<UInt8>, at offset: Int) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONError(.invalidUTF8, at: offset + error.byteOffsets.lowerBound)
        }
    }

    private static func append(_ bytes: Span<UInt8>, at offset: Int, to decoded: inout [UInt8]) throws(JSONError) {
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw JSONError(.invalidUTF8, at: offset + error.byteOffsets.lowerBound)
        }
        for index in bytes.indices {
            decoded.append(bytes[index])
        }
    }
}
