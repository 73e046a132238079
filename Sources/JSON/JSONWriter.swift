/// Writes a JSON text of a known shape directly into bytes, without a tree of values.
///
/// ```swift
/// var json = JSONWriter()
/// json.beginObject()
/// json.member("localId", uid)
/// json.member("email", email)          // nothing when nil
/// json.beginArray("providerUserInfo")
/// json.endArray()
/// json.endObject()
/// return .json(status: 200, json.bytes)
/// ```
///
/// The writer sets the commas. The caller makes sure that begins and ends match, and that names do not repeat.
public struct JSONWriter: Sendable {
    /// The text so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Makes a writer with an empty text.
    ///
    /// - Parameter capacity: the number of bytes to reserve; a longer text makes the buffer grow.
    public init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Containers

    /// Opens an object, as the whole text or as the next element of an array.
    public mutating func beginObject() {
        begin(UInt8(ascii: "{"))
    }

    /// Opens an object as a member.
    public mutating func beginObject(_ name: String) {
        self.name(name)
        begin(UInt8(ascii: "{"))
    }

    /// Closes an object.
    public mutating func endObject() {
        end(UInt8(ascii: "}"))
    }

    /// Opens an array, as the whole text or as the next element of an array.
    public mutating func beginArray() {
        begin(UInt8(ascii: "["))
    }

    /// Opens an array as a member.
    public mutating func beginArray(_ name: String) {
        self.name(name)
        begin(UInt8(ascii: "["))
    }

    /// Closes an array.
    public mutating func endArray() {
        end(UInt8(ascii: "]"))
    }

    // MARK: Elements

    /// Writes a string, as the whole text or as the next element of an array.
    public mutating func element(_ value: String) {
        comma()
        quote(value)
        needsComma = true
    }

    /// Writes an integer.
    public mutating func element(_ value: Int64) {
        comma()
        integer(value)
        needsComma = true
    }

    /// Writes an integer.
    public mutating func element(_ value: Int) {
        element(Int64(value))
    }

    /// Writes `true` or `false`.
    public mutating func element(_ value: Bool) {
        comma()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    /// Writes `null`.
    public mutating func elementNull() {
        comma()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Writes a value.
    public mutating func element(_ value: JSONValue) {
        switch value {
        case .null: elementNull()
        case .bool(let bool): element(bool)
        case .number(let number): element(rawJSON: number.literal.utf8)
        case .string(let string): element(string)
        case .array(let elements):
            beginArray()
            for element in elements { self.element(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members { self.member(member.name, member.value) }
            endObject()
        }
    }

    /// Writes bytes that are one JSON value.
    ///
    /// - Warning: The bytes are not checked.
    public mutating func element(rawJSON value: some Sequence<UInt8>) {
        comma()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// Writes the name of a member; its value must follow as an element.
    mutating func name(_ name: String) {
        comma()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Bytes

    private mutating func begin(_ byte: UInt8) {
        comma()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Writes an integer in decimal, without the `String` that `description` would allocate for long numbers.
    private mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = value.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        // In place: `reverse` of a slice would copy all that was written.
        var (low, high) = (start, bytes.count - 1)
        while low < high {
            bytes.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
    }

    /// Writes a quoted string, escaping only what RFC 8259 section 7 requires.
    private mutating func quote(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        bytes.append(contentsOf: string.utf8)
        // Few strings need an escape, so the string is copied first and checked afterwards.
        let special = bytes.span.firstIndexOfSpecial(from: start)
        if special < bytes.count { escape(from: special) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes the bytes from an index on again, with escapes where they are needed.
    private mutating func escape(from start: Int) {
        let rest = Array(bytes[start...])
        bytes.removeSubrange(start...)
        var index = 0
        while index < rest.count {
            let special = rest.span.firstIndexOfSpecial(from: index)
            bytes.append(contentsOf: rest[index..<special])
            if special < rest.count { escape(rest[special]) }
            index = special + 1
        }
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

extension JSONValue {
    /// Returns the value as compact JSON text, preserving the order of members and the literals of numbers.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.element(self)
        return writer.bytes
    }
}
