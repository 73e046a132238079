/// Reads the rows of the CSV that `firebase auth:export` writes, of any length, in pieces.
///
/// The file has 28 columns and no header. The exporter quotes a text that has a comma, but does not double the quotes
/// inside the text, and does not change quotes after a backslash in claims. Therefore a quote ends a text only before a
/// comma or the end of the line, and in claims only without a backslash before it.
package struct ExportCSV: Sendable {
    /// A row of the file, which describes one user.
    package struct Line: Sendable {
        /// The number of the line in which the row begins, from 1; a quoted text may contain line breaks.
        package let number: Int
        /// The row, or why it cannot be read.
        package let row: Result<ImportRow, ImportFault>
    }

    /// The reason why the file could not be read to its end.
    package enum Failure: Error, Sendable, Equatable {
        /// The file ends inside a row, which begins in this line, or the last row has no line break.
        case unexpectedEnd(line: Int)
        /// The row that begins in this line is longer than 1 MiB, and so than that of any user.
        case lineTooLong(line: Int)
    }

    private enum Place { case start, plain, quoted, quote }

    private static let longestLine = 1 << 20
    private static let claimsColumn = 27
    /// The first of each provider's four columns.
    private static let providers: [(id: String, column: Int)] = [
        ("google.com", 7), ("facebook.com", 11), ("twitter.com", 15), ("github.com", 19),
    ]

    private var place = Place.start
    private var fields: [String?] = []
    private var field: [UInt8] = []
    private var size = 0
    /// The number of the line in which the current row begins, from 1.
    private var line = 1
    private var breaks = 0
    private var isFirst = true

    /// Makes a reader.
    package init() {}

    /// Reads the next piece of the file, and calls `body` for each row that ends in it, except empty lines.
    ///
    /// - Throws: ``Failure``, or what `body` throws.
    package mutating func read(_ bytes: [UInt8], _ body: (Line) throws -> Void) throws {
        for byte in bytes {
            size += 1
            guard size <= Self.longestLine else { throw Failure.lineTooLong(line: line) }
            if byte == UInt8(ascii: "\n") { breaks += 1 }
            try take(byte, body)
        }
    }

    /// Checks that the file ended after a complete line.
    ///
    /// - Throws: ``Failure/unexpectedEnd(line:)`` if the last line has no line break.
    package func finish() throws(Failure) {
        guard size == 0 else { throw .unexpectedEnd(line: line) }
    }

    private mutating func take(_ byte: UInt8, _ body: (Line) throws -> Void) throws {
        switch (place, byte) {
        case (.start, UInt8(ascii: "\"")): place = .quoted
        case (.quoted, UInt8(ascii: "\"")):
            if fields.count == Self.claimsColumn, field.last == UInt8(ascii: "\\") {
                field.append(byte)
            } else {
                place = .quote
            }
        case (.quoted, _): field.append(byte)
        case (.quote, UInt8(ascii: "\"")):
            field.append(byte)
            place = .quoted
        case (_, UInt8(ascii: ",")): endField()
        case (_, UInt8(ascii: "\n")): try endLine(body)
        case (.quote, UInt8(ascii: "\r")): break
        case (.quote, _):
            // A quote that the exporter should have doubled.
            field.append(UInt8(ascii: "\""))
            field.append(byte)
            place = .quoted
        case (.start, _), (.plain, _):
            field.append(byte)
            place = .plain
        }
    }

    private mutating func endField() {
        if place == .plain, field.last == UInt8(ascii: "\r") { field.removeLast() }
        if isFirst, field.starts(with: [0xEF, 0xBB, 0xBF]) { field.removeFirst(3) }
        isFirst = false
        fields.append(String(validating: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
        place = .start
    }

    private mutating func endLine(_ body: (Line) throws -> Void) throws {
        endField()
        let row = Result { () throws(ImportFault) in try Self.row(fields) }
        let isEmpty = fields == [""]
        let number = line
        fields.removeAll(keepingCapacity: true)
        size = 0
        line = breaks + 1
        if !isEmpty { try body(Line(number: number, row: row)) }
    }

    private static func row(_ fields: [String?]) throws(ImportFault) -> ImportRow {
        let texts = fields.compactMap(\.self)
        guard texts.count == fields.count else { throw ImportFault("the line is not UTF-8") }
        // The last four columns were added later, and a comma ends the line.
        guard (25...29).contains(texts.count) else {
            throw ImportFault("the line has \(texts.count) columns instead of 28")
        }
        guard !texts.contains(where: { $0.utf8.contains(0) }) else { throw ImportFault("the line contains U+0000") }
        func text(_ column: Int) -> String? {
            texts.indices.contains(column) && !texts[column].isEmpty ? texts[column] : nil
        }
        var row = ImportRow()
        row.uid = text(0)
        row.email = text(1)
        row.isEmailVerified = text(2) == "true"
        row.hasPassword = text(3) != nil
        row.displayName = text(5)
        row.photoURL = text(6)
        for (id, column) in providers where text(column) != nil {
            var provider = ImportRow.Provider()
            provider.providerID = id
            provider.rawID = text(column)
            provider.email = text(column + 1)
            provider.displayName = text(column + 2)
            provider.photoURL = text(column + 3)
            row.providers.append(provider)
        }
        row.createdAt = text(23).flatMap { Int64($0) }
        row.lastLoginAt = text(24).flatMap { Int64($0) }
        row.hasPhoneNumber = text(25) != nil
        row.isDisabled = text(26) == "true"
        row.customAttributes = text(27)
        return row
    }
}
