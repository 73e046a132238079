/// A recursive-descent parser over the Unicode scalars of one JSON5 text.
struct JSON5Parser {
    private let scalars: [Unicode.Scalar]
    /// The offset of the first scalar of each line.
    private let lineStarts: [Int]
    private var offset = 0

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars
        lineStarts = [0] + scalars.indices.lazy.filter { scalars[$0] == "\n" }.map { $0 + 1 }
    }

    mutating func text() throws(JSON5Error) -> JSON5Value {
        try skipSpace()
        guard next != nil else { throw error("the text is empty") }
        let value = try value(depth: 0)
        try skipSpace()
        guard next == nil else { throw unexpected("the end of the text") }
        return value
    }

    /// Reads a value that begins at the next scalar.
    ///
    /// - Parameter depth: the number of arrays and objects around the value.
    private mutating func value(depth: Int) throws(JSON5Error) -> JSON5Value {
        switch next {
        case "{": return .object(try object(depth: depth + 1))
        case "[": return .array(try array(depth: depth + 1))
        case "\"", "'": return .string(try string())
        case "+", "-", ".", "I", "N": return .number(try number())
        case let digit? where ("0"..."9").contains(digit): return .number(try number())
        default:
            let start = offset
            switch try identifier(else: "a value") {
            case "true": return .bool(true)
            case "false": return .bool(false)
            case "null": return .null
            case let word:
                offset = start
                throw error("'\(word)' is not a value; text needs quotes")
            }
        }
    }

    private mutating func object(depth: Int) throws(JSON5Error) -> [JSON5Member] {
        var members: [JSON5Member] = []
        var lines: [String: Int] = [:]
        try open(depth: depth)
        while next != "}" {
            let start = offset
            let name =
                next == "\"" || next == "'" ? try string() : try identifier(else: "the name of a member or '}'")
            let line = place(of: start).line
            if let first = lines.updateValue(line, forKey: name) {
                offset = start
                throw error("'\(name)' stands here again; it was given in line \(first)")
            }
            try skipSpace()
            guard next == ":" else { throw unexpected("':' after '\(name)'") }
            offset += 1
            try skipSpace()
            members.append(JSON5Member(name: name, line: line, value: try value(depth: depth)))
            try separator(closing: "}")
        }
        offset += 1
        return members
    }

    private mutating func array(depth: Int) throws(JSON5Error) -> [JSON5Value] {
        var elements: [JSON5Value] = []
        try open(depth: depth)
        while next != "]" {
            elements.append(try value(depth: depth))
            try separator(closing: "]")
        }
        offset += 1
        return elements
    }

    private mutating func open(depth: Int) throws(JSON5Error) {
        guard depth <= JSON5Value.deepestNesting else { throw error("more than \(JSON5Value.deepestNesting) levels") }
        offset += 1
        try skipSpace()
    }

    /// Reads the comma after a member or element, which may be missing after the last one.
    private mutating func separator(closing: Unicode.Scalar) throws(JSON5Error) {
        try skipSpace()
        if next == "," {
            offset += 1
            try skipSpace()
        } else if next != closing {
            throw unexpected("',' or '\(closing)'")
        }
    }

    // MARK: Names and numbers

    /// Reads an IdentifierName (ECMAScript 5.1, section 7.6).
    private mutating func identifier(else wanted: String) throws(JSON5Error) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next {
            if scalar == "\\" {
                let start = offset
                offset += 1
                guard next == "u" else { throw error("only \\u may be escaped in a name") }
                offset += 1
                let escaped = try hexadecimal(digits: 4, from: start)
                guard let escaped = Unicode.Scalar(escaped), isNamePart(escaped, first: name.isEmpty) else {
                    offset = start
                    throw error("this escape is no letter")
                }
                name.append(escaped)
            } else if isNamePart(scalar, first: name.isEmpty) {
                name.append(scalar)
                offset += 1
            } else {
                break
            }
        }
        guard !name.isEmpty else { throw unexpected(wanted) }
        return String(name)
    }

    private func isNamePart(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: !first || scalar == "_"
        default: scalar == "$" || !first && (scalar == "\u{200C}" || scalar == "\u{200D}")
        }
    }

    private mutating func number() throws(JSON5Error) -> Double {
        let start = offset
        while let scalar = next, scalar.isASCII,
            Character(scalar).isLetter || "0123456789+-.".unicodeScalars.contains(scalar)
        {
            offset += 1
        }
        let text = String(String.UnicodeScalarView(scalars[start..<offset]))
        let unsigned = text.first == "-" || text.first == "+" ? String(text.dropFirst()) : text
        guard let value = Self.magnitude(unsigned) else {
            offset = start
            throw error("'\(text)' is not a number")
        }
        return text.first == "-" ? -value : value
    }

    /// The value of a number without its sign (NumericLiteral, JSON5 section 6); `nil` if it is not one.
    private static func magnitude(_ text: String) -> Double? {
        if text == "Infinity" { return .infinity }
        if text == "NaN" { return .nan }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            guard digits.first?.isHexDigit == true else { return nil }
            return UInt64(digits, radix: 16).map(Double.init)
        }
        guard text.allSatisfy({ "0123456789.eE+-".contains($0) }), text.contains(where: \.isNumber) else { return nil }
        // A leading zero would be octal in older JavaScript, and is therefore not allowed.
        if text.hasPrefix("0"), text.dropFirst().first?.isNumber == true { return nil }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard let mantissa = parts.first, mantissa.contains(where: \.isNumber),
            mantissa.allSatisfy({ $0.isNumber || $0 == "." }), parts.count == 1 || parts[1].last?.isNumber == true
        else { return nil }
        // Swift wants digits on both sides of the point.
        var plain = String(mantissa)
        if plain.hasPrefix(".") { plain = "0" + plain }
        if plain.hasSuffix(".") { plain += "0" }
        return Double(plain + (parts.count == 2 ? "e" + parts[1] : ""))
    }

    // MARK: Strings

    /// Reads a string from its opening quote through its closing quote.
    private mutating func string() throws(JSON5Error) -> String {
        let start = offset
        let quote = scalars[offset]
        var text = String.UnicodeScalarView()
        offset += 1
        while let scalar = next {
            switch scalar {
            case quote:
                offset += 1
                return String(text)
            case "\\":
                try escape(into: &text)
            case "\n", "\r":
                offset = start
                throw error("this string does not end in its line")
            default:
                text.append(scalar)
                offset += 1
            }
        }
        offset = start
        throw error("this string does not end")
    }

    private mutating func escape(into text: inout String.UnicodeScalarView) throws(JSON5Error) {
        let start = offset
        offset += 1
        guard let scalar = next else { throw error("the text ends in an escape") }
        offset += 1
        switch scalar {
        case "b": text.append("\u{8}")
        case "f": text.append("\u{C}")
        case "n": text.append("\n")
        case "r": text.append("\r")
        case "t": text.append("\t")
        case "v": text.append("\u{B}")
        case "\r": if next == "\n" { offset += 1 }
        case "\n", "\u{2028}", "\u{2029}": break
        case "x": text.append(Unicode.Scalar(UInt8(truncatingIfNeeded: try hexadecimal(digits: 2, from: start))))
        case "u": text.append(try escapedScalar(from: start))
        case "0" where !("0"..."9").contains(next ?? " "): text.append("\0")
        case "0"..."9":
            offset = start
            throw error("a digit cannot be escaped")
        default: text.append(scalar)
        }
    }

    /// Reads the digits of a `\u` escape, and the second escape if the first is half of a surrogate pair.
    private mutating func escapedScalar(from start: Int) throws(JSON5Error) -> Unicode.Scalar {
        let first = try hexadecimal(digits: 4, from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard 0xD800...0xDBFF ~= first, scalars[offset...].starts(with: ["\\", "u"]) else {
            offset = start
            throw error("half of a surrogate pair")
        }
        offset += 2
        let second = try hexadecimal(digits: 4, from: start)
        guard 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            offset = start
            throw error("half of a surrogate pair")
        }
        return scalar
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws(JSON5Error) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap({ $0.isASCII ? Character($0).hexDigitValue : nil }) else {
                offset = start
                throw error("this escape needs \(digits) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: White space and errors

    private var next: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(JSON5Error) {
        while let scalar = next {
            if scalar == "/" {
                try skipComment()
            } else if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
                offset += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = offset
        offset += 1
        switch next {
        case "/":
            while offset < scalars.count, scalars[offset] != "\n", scalars[offset] != "\r" { offset += 1 }
        case "*":
            offset += 1
            while !scalars[offset...].starts(with: ["*", "/"]) {
                guard offset < scalars.count else {
                    offset = start
                    throw error("this comment does not end")
                }
                offset += 1
            }
            offset += 2
        default:
            offset = start
            throw unexpected("a comment, // or /*")
        }
    }

    private func unexpected(_ wanted: String) -> JSON5Error {
        error(next.map { "\(wanted) is missing before '\($0)'" } ?? "the text ends where \(wanted) is missing")
    }

    /// An error at the next scalar.
    private func error(_ reason: String) -> JSON5Error {
        let (line, column) = place(of: offset)
        return JSON5Error(reason, line: line, column: column)
    }

    private func place(of offset: Int) -> (line: Int, column: Int) {
        // The first line that begins behind the offset is the one after the offset's.
        var (low, high) = (0, lineStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return (low, offset - lineStarts[low - 1] + 1)
    }
}
