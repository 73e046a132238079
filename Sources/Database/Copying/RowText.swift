/// The row format of PostgreSQL's COPY (PostgreSQL manual, COPY, "Text Format").
///
/// One line for each row, with tabs between fields and `\N` for NULL. A row has the same text on both engines, so that
/// their tables can be compared.
enum RowText {
    /// Appends the text of a field to a line, without a separator.
    ///
    /// - Throws: `misuse` for real numbers and binary data, which none of Latchkey's tables contain.
    static func append(_ value: SQLValue, to line: inout [UInt8]) throws(DatabaseError) {
        switch value {
        case .null: line.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "N")])
        case .integer(let integer): line.append(contentsOf: String(integer).utf8)
        case .text(let text):
            for byte in text.utf8 {
                if let letter = letter(for: byte) {
                    line.append(UInt8(ascii: "\\"))
                    line.append(letter)
                } else {
                    line.append(byte)
                }
            }
        case .real, .blob: throw DatabaseError(.misuse, message: "a column holds neither text nor an integer")
        }
    }

    static let separator = UInt8(ascii: "\t")
    static let end = UInt8(ascii: "\n")

    /// Parses complete lines, and passes on the fields of each.
    ///
    /// Every value is text or NULL.
    static func parse(_ lines: [UInt8], _ body: ([SQLValue]) throws -> Void) throws {
        var fields: [SQLValue] = []
        var field: [UInt8] = []
        var isNull = false
        var isEscaped = false
        for byte in lines {
            if isEscaped {
                isEscaped = false
                if byte == UInt8(ascii: "N") { isNull = true } else { field.append(Self.byte(for: byte)) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = true
            case separator, end:
                fields.append(isNull ? .null : .text(String(decoding: field, as: UTF8.self)))
                field.removeAll(keepingCapacity: true)
                isNull = false
                guard byte == end else { continue }
                try body(fields)
                fields.removeAll(keepingCapacity: true)
            default: field.append(byte)
            }
        }
    }

    private static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (0x08, UInt8(ascii: "b")), (0x09, UInt8(ascii: "t")), (0x0A, UInt8(ascii: "n")), (0x0B, UInt8(ascii: "v")),
        (0x0C, UInt8(ascii: "f")), (0x0D, UInt8(ascii: "r")),
    ]

    private static func letter(for byte: UInt8) -> UInt8? {
        if byte == UInt8(ascii: "\\") { return byte }
        guard byte < 0x0E else { return nil }
        return escapes.first { $0.byte == byte }?.letter
    }

    private static func byte(for letter: UInt8) -> UInt8 {
        escapes.first { $0.letter == letter }?.byte ?? letter
    }
}
