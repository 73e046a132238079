/// A JSON number (RFC 8259 section 6), kept byte for byte so that reading and writing it changes nothing.
public struct JSONNumber: Sendable, Equatable {
    /// The number as it was written, `-0.10e+2` for example; always of the grammar of RFC 8259.
    public let literal: String

    /// Takes a text that the parser found to be a number.
    init(checkedLiteral literal: String) {
        self.literal = literal
    }

    /// An integer.
    public init(_ value: Int64) {
        literal = String(value)
    }

    /// A number from its text, `nil` unless all of it is a number of RFC 8259.
    public init?(literal: String) {
        guard case .number(let number)? = try? JSONValue.parse(Array(literal.utf8)),
            number.literal.utf8.count == literal.utf8.count
        else { return nil }
        self = number
    }

    /// The value if it is written as an integer (digits with an optional minus) and fits; `1.0` and `1e3` are not.
    public var int64: Int64? {
        Int64(literal)
    }

    /// The nearest double, `nil` when the number is beyond the range of finite doubles.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }
}
