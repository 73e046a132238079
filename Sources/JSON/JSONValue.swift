/// A JSON value (RFC 8259) that preserves the order of members and the text of numbers.
///
/// `==` compares exactly these: the bytes of strings and names (no Unicode equivalence), the literals of numbers, the
/// order of members.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, kept as the text that was written.
    case number(JSONNumber)
    /// A string, decoded: any Unicode text, including U+0000.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue: Equatable {
    /// Whether two values would be written as the same text.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue {
    /// Whether any string or member name in this value contains U+0000, which neither PostgreSQL nor C strings can
    /// store.
    public var containsNUL: Bool {
        switch self {
        case .null, .bool, .number: false
        case .string(let string): string.utf8.contains(0)
        case .array(let elements): elements.contains(where: \.containsNUL)
        case .object(let object): object.members.contains { $0.name.utf8.contains(0) || $0.value.containsNUL }
        }
    }
}

extension String {
    /// Compares two strings byte by byte.
    ///
    /// Swift's `==` considers "é" and "e\u{301}" equal; JSON (RFC 8259 section 8.3) does not.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
