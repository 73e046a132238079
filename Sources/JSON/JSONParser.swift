extension JSONValue {
    /// The maximum nesting that can be requested, because parser, writer and `deinit` recurse once per level.
    public static let deepestNesting = 512

    /// Reads a JSON text, strictly by RFC 8259, in linear time.
    ///
    /// - Parameters:
    ///   - bytes: the whole text. No byte order mark.
    ///   - maximumDepth: the maximum nesting of arrays and objects; more than ``deepestNesting`` counts as that.
    /// - Returns: the value. Strings may contain U+0000: see ``containsNUL``.
    /// - Throws: ``JSONError`` at the first error: invalid grammar, invalid UTF-8, a lone surrogate, a repeated name in
    ///   an object, too deep nesting, or anything but white space after the value.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
        try parse(bytes.span, maximumDepth: maximumDepth)
    }

    /// Reads a JSON text from borrowed bytes; see ``parse(_:maximumDepth:)-([UInt8],_)``.
    public static func parse(_ bytes: Span<UInt8>, maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
        var parser = JSONParser(maximumDepth: min(maximumDepth, deepestNesting))
        return try parser.text(bytes)
    }

    /// Reads a JSON text from a string; see ``parse(_:maximumDepth:)-([UInt8],_)``.
    public static func parse(_ text: String, maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), maximumDepth: maximumDepth)
    }
}

/// A recursive-descent parser over the bytes of one text.
///
/// The bytes are an argument of every function, because a stored `Span` would need lifetime annotations; they are
/// always the same bytes.
struct JSONParser {
    let maximumDepth: Int
    var offset = 0

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    mutating func text(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let value = try value(bytes, depth: 0)
        skipWhiteSpace(bytes)
        guard offset == bytes.count else { throw JSONError(.trailingBytes, at: offset) }
        return value
    }

    /// Reads a value with the white space before it.
    ///
    /// - Parameter depth: the number of arrays and objects around the value.
    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        switch try firstByte(bytes) {
        case UInt8(ascii: "\""):
            return .string(try string(bytes))
        case UInt8(ascii: "{"):
            guard depth < maximumDepth else { throw JSONError(.tooDeep, at: offset) }
            return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["):
            guard depth < maximumDepth else { throw JSONError(.tooDeep, at: offset) }
            return .array(try array(bytes, depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number(bytes))
        case UInt8(ascii: "t"):
            try word("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null", bytes)
            return .null
        default:
            throw JSONError(.unexpectedByte, at: offset)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        offset += 1
        var elements: [JSONValue] = []
        if try firstByte(bytes) == UInt8(ascii: "]") {
            offset += 1
            return elements
        }
        while true {
            elements.append(try value(bytes, depth: depth))
            if try endsAfterMember(with: UInt8(ascii: "]"), bytes) { return elements }
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        offset += 1
        if try firstByte(bytes) == UInt8(ascii: "}") {
            offset += 1
            return JSONObject()
        }
        var members: [(name: String, value: JSONValue)] = []
        // Most requests have few members, so this makes one allocation instead of three.
        members.reserveCapacity(4)
        var names = UniqueNames()
        while true {
            guard try firstByte(bytes) == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: offset) }
            let start = offset
            let name = try string(bytes)
            guard names.insert(name, beside: members) else { throw JSONError(.duplicateName, at: start) }
            guard try firstByte(bytes) == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: offset) }
            offset += 1
            members.append((name, try value(bytes, depth: depth)))
            if try endsAfterMember(with: UInt8(ascii: "}"), bytes) { return JSONObject(uniqueMembers: members) }
        }
    }

    /// Reads the comma or the end after an element, and returns whether it was the end.
    private mutating func endsAfterMember(with end: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let byte = try firstByte(bytes)
        guard byte == end || byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: offset) }
        offset += 1
        return byte == end
    }

    private mutating func word(_ word: String, _ bytes: Span<UInt8>) throws(JSONError) {
        for byte in word.utf8 {
            guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
            guard bytes[offset] == byte else { throw JSONError(.unexpectedByte, at: offset) }
            offset += 1
        }
    }

    /// Skips white space and returns the byte after it, which stays unread.
    private mutating func firstByte(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipWhiteSpace(bytes)
        guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
        return bytes[offset]
    }

    private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): offset += 1
            default: return
            }
        }
    }
}
