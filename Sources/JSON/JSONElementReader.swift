/// Reads the elements of one array out of a JSON text of any length, which comes in pieces.
///
/// The text is an object, and the array the value of one of its members: `{"users": [ … ]}`. One element at a time is in
/// memory, and what lies around the array is passed over without being kept.
///
/// ```swift
/// var reader = JSONElementReader(member: "users")
/// while let piece = try file.read() { try reader.read(piece) { element in … } }
/// try reader.finish()
/// ```
///
/// Each element is parsed strictly, and one that is no JSON is told as such and does not end the reading. What is wrong around
/// the elements does, since nobody could tell then where the next one begins.
public struct JSONElementReader: Sendable {
    /// One element of the array.
    public struct Element: Sendable {
        /// Its place in the array, from 0.
        public let index: Int
        /// Where it begins: the byte of the text, from 0.
        public let offset: Int
        /// What it holds, or why it is no JSON.
        public let value: Result<JSONValue, JSONError>
    }

    /// How many elements were read.
    public private(set) var count = 0
    /// How many bytes were read.
    public private(set) var offset = 0

    private let member: String
    private let maximumElement: Int
    private var place = Place.start
    private var scanner = ValueScanner()
    /// What earlier pieces held of the element or the name that is being read.
    private var kept: [UInt8] = []
    /// Where it begins.
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
    ///   - member: The name of the array's member.
    ///   - maximumElement: The longest element in bytes; a longer one ends the reading.
    public init(member: String, maximumElement: Int = 1 << 20) {
        self.member = member
        self.maximumElement = maximumElement
    }

    /// Takes the next piece of the text.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - body: Gets each element that ends in it.
    /// - Throws: ``JSONStreamError``, or what `body` throws. The reader is of no use then, but for ``count``.
    public mutating func read(_ bytes: [UInt8], _ body: (Element) throws -> Void) throws {
        var index = 0
        while index < bytes.count {
            switch place {
            case .name, .element, .skipped:
                index = try scan(bytes, from: index, body)
            default:
                // White space, and the mark that some editors put before everything.
                if !Self.isSpace(bytes[index]), !isByteOrderMark(bytes[index]) {
                    try step(bytes[index])
                    // A value's first byte is its scanner's too.
                    if place == .name || place == .element || place == .skipped { continue }
                }
                index += 1
                offset += 1
            }
        }
    }

    /// Says that the text is over.
    ///
    /// - Throws: ``JSONStreamError`` where it is not complete, or has no such array.
    public func finish() throws(JSONStreamError) {
        guard place == .end else { throw JSONStreamError(.unexpectedEnd, at: offset, afterElements: count) }
        guard isFound else { throw JSONStreamError(.noArray, at: offset, afterElements: count) }
    }

    /// Takes a byte between values.
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

    /// Takes the bytes of a value, to its end or the piece's.
    ///
    /// - Returns: where it stopped.
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
            // Two levels lie around it.
            return .success(try JSONValue.parse(bytes, maximumDepth: 30))
        } catch {
            return .failure(JSONError(error.kind, at: start + error.offset))
        }
    }

    /// Goes on behind a name or an element.
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

/// Finds the end of a JSON value, without looking at what it is.
private struct ValueScanner {
    enum Step {
        case inside
        /// The byte is the value's last one.
        case last
        /// The value ended before the byte.
        case before
        /// No value begins so.
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

/// Why a text that comes in pieces could not be read to its end.
public struct JSONStreamError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// The text ends before the array or the object does.
        case unexpectedEnd = "the text ends too early"
        /// A byte that cannot stand there.
        case unexpectedByte = "unexpected byte"
        /// An element longer than allowed.
        case elementTooLong = "an element is too long"
        /// There is no such array.
        case noArray = "the array is missing"
    }

    /// What is wrong.
    public let kind: Kind
    /// The byte where that was seen, from 0.
    public let offset: Int
    /// How many elements were read before.
    public let elements: Int

    init(_ kind: Kind, at offset: Int, afterElements elements: Int) {
        self.kind = kind
        self.offset = offset
        self.elements = elements
    }
}

extension JSONStreamError: CustomStringConvertible {
    /// A text that holds nothing of the input.
    public var description: String { "\(kind.rawValue) at byte \(offset), after \(elements) elements" }
}
