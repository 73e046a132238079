/// A JSON number (RFC 8259 section 6), kept byte for byte so that reading and writing do not change it.
public struct JSONNumber: Sendable, Equatable {
    /// The number as it was written, for example `-0.10e+2`; always valid by RFC 8259.
    public let literal: String

    /// Makes a number from a text that the parser has checked.
    init(checkedLiteral literal: String) {
        self.literal = literal
    }

    /// Makes an integer.
    public init(_ value: Int64) {
        literal = String(value)
    }

    /// Parses a number; `nil` unless the whole text, without white space, is a number by RFC 8259.
    public init?(literal: String) {
        guard case .number(let number)? = try? JSONValue.parse(Array(literal.utf8)),
            number.literal.utf8.count == literal.utf8.count
        else { return nil }
        self = number
    }

    /// The value, if it is written as an integer (digits with an optional minus) and fits; `nil` for `1.0` and `1e3`.
    public var int64: Int64? {
        Int64(literal)
    }

    /// The nearest double; `nil` if the number is beyond the range of finite doubles.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }
}
