/// The results of one pass over the header fields, which decide whether the request is read further.
///
/// libmicrohttpd is lenient. Behind a proxy, each leniency is an opportunity for request smuggling (RFC 9112, section
/// 11.2), so everything that two parsers could read differently is rejected.
struct HeadCheck {
    private(set) var hostCount = 0
    private(set) var isHostValid = true
    private(set) var lengthCount = 0
    /// The announced body length; nil without one or if it is not a number.
    private(set) var length: Int?
    private(set) var codingCount = 0
    private(set) var isChunked = false
    private(set) var hasBadName = false
    private(set) var originCount = 0
    private var authorizationCount = 0
    /// Whether the first `Authorization` field contains a bearer token.
    private(set) var hasBearer = false
    /// Whether a browser sent the request: it has a field `Origin` or `Sec-Fetch-Site`.
    private(set) var isFromBrowser = false

    /// Whether a body follows the head.
    var announcesBody: Bool { codingCount > 0 || length ?? 0 > 0 }

    /// The error with which to reject the head; nil if the head is acceptable.
    var failure: HTTPError? {
        if hasBadName { return .malformed("A header field's name is not valid.") }
        if hostCount != 1 { return .malformed("A request must have exactly one Host.") }
        if !isHostValid { return .malformed("The Host is not valid.") }
        if lengthCount > 1 { return .malformed("A request may have at most one Content-Length.") }
        if lengthCount == 1, length == nil { return .malformed("The Content-Length is not valid.") }
        if codingCount > 0, lengthCount > 0 {
            return .malformed("A request may not have both Content-Length and Transfer-Encoding.")
        }
        if codingCount > 1 || codingCount == 1 && !isChunked {
            return .malformed("The only supported Transfer-Encoding is chunked.")
        }
        return nil
    }

    mutating func look(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where unsafe HeadCheck.matches(name, "host"):
            hostCount += 1
            isHostValid = unsafe isHostValid && HeadCheck.isHost(value)
        case 6 where unsafe HeadCheck.matches(name, "origin"):
            originCount += 1
            isFromBrowser = true
        case 13 where unsafe HeadCheck.matches(name, "authorization"):
            if authorizationCount == 0 { hasBearer = unsafe HeadCheck.isBearer(value) }
            authorizationCount += 1
        case 14 where unsafe HeadCheck.matches(name, "content-length"):
            lengthCount += 1
            length = unsafe HeadCheck.number(value)
        case 14 where unsafe HeadCheck.matches(name, "sec-fetch-site"):
            isFromBrowser = true
        case 17 where unsafe HeadCheck.matches(name, "transfer-encoding"):
            codingCount += 1
            isChunked = unsafe HeadCheck.matches(value, "chunked")
        default:
            if unsafe !HeadCheck.isToken(name) { hasBadName = true }
        }
    }

    /// Whether a text could be a Host field (RFC 9110, section 7.2): 1 to 261 bytes, each of which can occur in a name,
    /// an IP address or a port.
    ///
    /// The order of the bytes is not checked.
    static func isHost(_ value: UnsafeRawBufferPointer) -> Bool {
        guard (1...261).contains(value.count) else { return false }
        return unsafe value.allSatisfy(isHostByte)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default:
            false
        }
    }

    /// Compares without regard to case; false if the lengths differ.
    ///
    /// `expected` must consist of lowercase letters, hyphens and spaces.
    private static func matches(_ text: UnsafeRawBufferPointer, _ expected: StaticString) -> Bool {
        guard text.count == expected.utf8CodeUnitCount else { return false }
        for index in 0..<text.count {
            // Bit 5 makes ASCII letters lowercase. The few other characters that it could confuse do not occur in
            // `expected`.
            guard unsafe (text[index] | 0x20) == (expected.utf8Start[index] | 0x20) else { return false }
        }
        return true
    }

    private static func isBearer(_ value: UnsafeRawBufferPointer) -> Bool {
        unsafe value.count > 7 && matches(UnsafeRawBufferPointer(rebasing: value[..<7]), "bearer ")
    }

    private static func number(_ text: UnsafeRawBufferPointer) -> Int? {
        guard (1...18).contains(text.count) else { return nil }
        var number = 0
        for index in 0..<text.count {
            let byte = unsafe text[index]
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// Whether a text is a token, as the name of a header field must be (RFC 9110, section 5.6.2).
    private static func isToken(_ text: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !text.isEmpty else { return false }
        for index in 0..<text.count {
            let byte = unsafe text[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "!"),
                UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
                continue
            default:
                return false
            }
        }
        return true
    }
}
