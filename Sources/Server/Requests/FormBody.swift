internal import HTTPServer

/// The fields of a body, a query or a URL's fragment in the format `application/x-www-form-urlencoded`.
///
/// Of equal names the first counts. Empty pieces between two `&`, and all fields after the hundredth, are ignored.
struct FormBody {
    private var fields: [String: String] = [:]

    /// Parses a body, leaving out fields that cannot be decoded.
    init(_ bytes: [UInt8]) {
        for field in bytes.split(separator: UInt8(ascii: "&")).prefix(100) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count == 2 ? parts[1] : []),
                fields[name] == nil
            else { continue }
            fields[name] = value
        }
    }

    /// The decoded value of a field; `nil` if the field is not given or cannot be decoded.
    subscript(_ name: String) -> String? { fields[name] }

    private static func decode(_ encoded: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var bytes = encoded.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = bytes.next().flatMap(hexDigit), let low = bytes.next().flatMap(hexDigit) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard !decoded.contains(0) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
