/// The reason why a text is not accepted as JSON, and where.
public struct JSONError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// The text is empty, or ends inside a value.
        case unexpectedEnd = "unexpected end"
        /// A byte that is not allowed at its place.
        case unexpectedByte = "unexpected byte"
        /// Bytes other than white space after the value.
        case trailingBytes = "bytes after the value"
        /// A number that lacks digits after its minus, point or exponent.
        case invalidNumber = "invalid number"
        /// A byte sequence that is not UTF-8.
        case invalidUTF8 = "invalid UTF-8"
        /// A backslash that does not begin one of JSON's escapes, or a `\u` without four hexadecimal digits.
        case invalidEscape = "invalid escape"
        /// A `\u` escape of one half of a surrogate pair, without the other half.
        case loneSurrogate = "lone surrogate"
        /// A control character that must be escaped.
        case controlCharacter = "control character in a string"
        /// An object with two members of the same name.
        case duplicateName = "duplicate name"
        /// More levels of arrays and objects than the caller, or ``JSONValue/deepestNesting``, allows.
        case tooDeep = "too deep"
    }

    /// What is wrong.
    public let kind: Kind
    /// The offset, from 0, of the wrong byte, or of the first byte of the number, escape or name that is wrong.
    public let offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// A text that contains nothing of the input, so that it can be sent and logged.
    public var description: String {
        "\(kind.rawValue) at byte \(offset)"
    }
}
