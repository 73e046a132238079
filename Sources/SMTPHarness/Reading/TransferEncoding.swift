/// Content-Transfer-Encoding (RFC 2045 §6).
enum TransferEncoding {
    static func decode(_ body: ArraySlice<UInt8>, _ name: String?) -> [UInt8] {
        switch name?.lowercased() {
        case "base64": Base64.decodeForgivingly(body)
        case "quoted-printable": decodeQuotedPrintable(body)
        default: Array(body)
        }
    }

    /// Quoted-printable; a "=" that means nothing is left as it is (RFC 2045 §6.7, note on robustness).
    static func decodeQuotedPrintable(_ body: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(body.count)
        var index = body.startIndex
        while index < body.endIndex {
            let byte = body[index]
            index += 1
            guard byte == UInt8(ascii: "=") else {
                output.append(byte)
                continue
            }
            if let end = softBreak(body, index) {
                index = end
            } else if let value = Hex.byte(body, at: index) {
                output.append(value)
                index += 2
            } else {
                output.append(byte)
            }
        }
        return output
    }

    /// Returns where the next line begins, if a "=" ends its line, perhaps before blanks that a server has added;
    /// otherwise nil.
    private static func softBreak(_ body: ArraySlice<UInt8>, _ start: Int) -> Int? {
        var index = start
        // Bounded: lines have at most 76 characters, and without the bound "= = = …" would cost quadratic time.
        while index < body.endIndex, index - start < 80, body[index] == 0x20 || body[index] == 0x09 { index += 1 }
        guard index < body.endIndex else { return index }
        if body[index] == 10 { return index + 1 }
        guard body[index] == 13, index + 1 < body.endIndex, body[index + 1] == 10 else { return nil }
        return index + 2
    }
}

enum Hex {
    /// Returns the byte that two hexadecimal digits at an index stand for; nil if they are not such digits.
    static func byte(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index >= bytes.startIndex, index + 1 < bytes.endIndex, let high = digit(bytes[index]),
            let low = digit(bytes[index + 1])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        default: nil
        }
    }
}
