/// Why a text is not JSON as we take it, and where.
public struct JSONError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd = "unexpected end"
        /// A byte that cannot stand there.
        case unexpectedByte = "unexpected byte"
        /// Something after the value.
        case trailingBytes = "bytes after the value"
        /// A number that is not of the grammar of RFC 8259.
        case invalidNumber = "invalid number"
        /// A byte sequence that is not UTF-8.
        case invalidUTF8 = "invalid UTF-8"
        /// A backslash with something that is no escape.
        case invalidEscape = "invalid escape"
        /// Half of a surrogate pair.
        case loneSurrogate = "lone surrogate"
        /// A control character that has to be escaped.
        case controlCharacter = "control character in a string"
        /// An object with two members of one name.
        case duplicateName = "duplicate name"
        /// More nesting than allowed.
        case tooDeep = "too deep"
    }

    /// What is wrong.
    public let kind: Kind
    /// The byte where that was seen, counted from 0.
    public let offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// A text that holds nothing of the input, safe to send and to log.
    public var description: String {
        "\(kind.rawValue) at byte \(offset)"
    }
}
