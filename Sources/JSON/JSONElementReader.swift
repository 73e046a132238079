/// Reads the elements of one array from a JSON text of any length, in pieces.
///
/// The text is an object, and the array is the value of one of its members: `{"users": [ … ]}`. Only one element at a
/// time is in memory; everything around the array is skipped.
///
/// ```swift
/// var reader = JSONElementReader(member: "users")
/// while let piece = try file.read() { try reader.read(piece) { element in … } }
/// try reader.finish()
/// ```
///
/// Each element is parsed strictly, and may contain 30 levels of arrays and objects. An element that is not valid JSON
/// or too deep is passed on as a failure (``Element/value``), and reading continues. An error around the elements ends
/// the reading, because the start of the next element is then unknown.
public struct JSONElementReader: Sendable {
    /// One element of the array.
    public struct Element: Sendable {
        /// The element's index in the array, from 0.
        public let index: Int
        /// The offset of the element's first byte in the text, from 0.
        public let offset: Int
        /// The parsed element, or the reason why it is not valid JSON or too deep.
        public let value: Result<JSONValue, JSONError>
    }

    /// The number of elements read, including those that are not valid JSON.
    public private(set) var count = 0
    /// The number of bytes read.
    public private(set) var offset = 0

    private let member: String
    private let maximumElement: Int
    private var place = Place.start
    private var scanner = ValueScanner()
    /// The bytes from earlier pieces of the element or the name that is being read.
    private var kept: [UInt8] = []
    /// The offset in the text of the first byte of the element, name or skipped value that is being read.
    private var start = 0
    private var isMember = false
    private var isFound = false

    private enum Place {
        case start, firstName, nextName, name, colon, value, skipped
        case firstElement, nextElement, element, afterElement, afterMember, end
    }

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - member: the name of the member whose value is the array.
    ///   - maximumElement: the maximum length of an element or of a member name, in bytes; a longer one ends the
    ///     reading with an error.
    public init(member: String, maximumElement: Int = 1 << 20) {
        self.member = member
        self.maximumElement = maximumElement
    }

    /// Reads the next piece of the text.
    ///
    /// - Parameters:
    ///   - bytes: the piece.
    ///   - body: receives each element that ends in the piece.
    /// - Throws: ``JSONStreamError``, or what `body` throws. The reader must then not be used again, except for
    ///   ``count``.
    public mutating func read(_ bytes: [UInt8], _ body: (Element) throws -> Void) throws {
        var index = 0
        while index < bytes.count {
            switch place {
            case .name, .element, .skipped:
                index = try scan(bytes, from: index, body)
            default:
                // White space, and the byte order mark that some editors put at the start.
                if !Self.isSpace(bytes[index]), !isByteOrderMark(bytes[index]) {
                    try step(bytes[index])
                    // A value's first byte is also the first byte for its scanner.
                    if place == .name || place == .element || place == .skipped { continue }
                }
                index += 1
                offset += 1
            }
        }
    }

    /// Checks that the text ended with the object, and that the object had the array.
    ///
    /// - Throws: ``JSONStreamError`` of kind `unexpectedEnd` or `noArray`.
    public func finish() throws(JSONStreamError) {
        guard place == .end else { throw JSONStreamError(.unexpectedEnd, at: offset, afterElements: count) }
        guard isFound else { throw JSONStreamError(.noArray, at: offset, afterElements: count) }
    }

    /// Reads a byte between values.
    private mutating func step(_ byte: UInt8) throws(JSONStreamError) {
        switch (place, byte) {
        case (.start, UInt8(ascii: "{")): place = .firstName
        case (.firstName, UInt8(ascii: "}")): place = .end
        case (.firstName, UInt8(ascii: "\"")), (.nextName, UInt8(ascii: "\"")): begin(.name)
        case (.colon, UInt8(ascii: ":")): place = .value
        case (.value, UInt8(ascii: "[")) where isMember && !isFound:
            isFound = true
            place = .firstElement
        case (.value, _) where !isMember: begin(.skipped)
        case (.firstElement, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): place = .afterMember
        case (.firstElement, _), (.nextElement, _): begin(.element)
        case (.afterElement, UInt8(ascii: ",")): place = .nextElement
        case (.afterMember, UInt8(ascii: ",")): place = .nextName
        case (.afterMember, UInt8(ascii: "}")): place = .end
        default: throw JSONStreamError(.unexpectedByte, at: offset, afterElements: count)
        }
    }

    private mutating func begin(_ place: Place) {
        self.place = place
        scanner = ValueScanner()
        kept.removeAll(keepingCapacity: true)
        start = offset
    }

    /// Reads the bytes of a value, up to the end of the value or of the piece.
    ///
    /// - Returns: the index of the first byte that was not read.
    private mutating func scan(
        _ bytes: [UInt8],
        from first: Int,
        _ body: (Element) throws -> Void
    ) throws -> Int {
        let span = bytes.span
        var index = first
        var isOver = false
        while index < span.count, !isOver {
            switch scanner.take(span[index]) {
            case .inside: index += 1
            case .last:
                index += 1
                isOver = true
            case .before: isOver = true
            case .impossible:
                throw JSONStreamError(.unexpectedByte, at: offset + index - first, afterElements: count)
            }
        }
        offset += index - first
        guard place != .skipped else {
            if isOver { place = .afterMember }
            return index
        }
        guard offset - start <= maximumElement else {
            throw JSONStreamError(.elementTooLong, at: start, afterElements: count)
        }
        guard isOver, kept.isEmpty else {
            kept.append(contentsOf: bytes[first..<index])
            if isOver { try end(Self.parse(kept.span, at: start), body) }
            return index
        }
        try end(Self.parse(span.extracting(first..<index), at: start), body)
        return index
    }

    private static func parse(_ bytes: Span<UInt8>, at start: Int) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            // The element is already two levels deep.
            return .success(try JSONValue.parse(bytes, maximumDepth: 30))
        } catch {
            return .failure(JSONError(error.kind, at: start + error.offset))
        }
    }

    /// Passes an element that has ended to `body`, or records whether a name that has ended is that of the array.
    private mutating func end(
        _ value: Result<JSONValue, JSONError>,
        _ body: (Element) throws -> Void
    ) throws {
        if place == .element {
            place = .afterElement
            count += 1
            try body(Element(index: count - 1, offset: start, value: value))
        } else {
            guard case .success(.string(let name)) = value else {
                throw JSONStreamError(.unexpectedByte, at: start, afterElements: count)
            }
            isMember = name.hasSameBytes(as: member)
            place = .colon
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    private func isByteOrderMark(_ byte: UInt8) -> Bool {
        offset < 3 && place == .start && byte == [0xEF, 0xBB, 0xBF][offset]
    }
}

/// Finds the end of a JSON value without parsing it.
private struct ValueScanner {
    enum Step {
        case inside
        /// The byte is the value's last one.
        case last
        /// The value ended before the byte.
        case before
        /// A value cannot begin with the byte.
        case impossible
    }

    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isWord = false

    mutating func take(_ byte: UInt8) -> Step {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return depth == 0 ? .last : .inside
            }
            return .inside
        }
        switch byte {
        case UInt8(ascii: "\""):
            if isWord { return .before }
            isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if isWord { return .before }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 { return isWord ? .before : .impossible }
            depth -= 1
            return depth == 0 ? .last : .inside
        case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            if depth == 0 { return isWord ? .before : .impossible }
        default:
            if depth == 0 { isWord = true }
        }
        return .inside
    }
}

/// The reason why ``JSONElementReader`` could not read a text to its end.
public struct JSONStreamError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// The text ends before the array or the object does.
        case unexpectedEnd = "the text ends too early"
        /// A byte is not allowed at its place, a member's name is not valid JSON, or the member that should be the
        /// array has another value or occurs again.
        case unexpectedByte = "unexpected byte"
        /// An element or a member's name is longer than the reader's maximum.
        case elementTooLong = "an element is too long"
        /// The object has no member of the array's name.
        case noArray = "the array is missing"
    }

    /// What is wrong.
    public let kind: Kind
    /// The offset from 0 of the byte where the error was found, or of the first byte of an element or a name that is
    /// too long, or of an invalid name.
    public let offset: Int
    /// The number of elements read before the error.
    public let elements: Int

    init(_ kind: Kind, at offset: Int, afterElements elements: Int) {
        self.kind = kind
        self.offset = offset
        self.elements = elements
    }
}

extension JSONStreamError: CustomStringConvertible {
    /// A text that contains nothing of the input.
    public var description: String { "\(kind.rawValue) at byte \(offset), after \(elements) elements" }
}
