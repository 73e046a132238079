internal import Accounts
internal import JSON

/// Reads users from a file that `firebase auth:export` wrote, JSON or CSV, in pieces.
struct ImportFile: Sendable {
    /// A user in the file.
    struct Entry: Sendable {
        /// The place in the file, for people: `user 12` or `line 12`.
        let place: String
        /// The user, or why the user cannot be imported.
        let user: Result<ImportedUser, ImportFault>
    }

    private enum Format: Sendable {
        case json(JSONElementReader)
        case csv(ExportCSV)
    }

    private var format: Format?

    /// Reads the next piece of the file, and calls `body` for each user that the piece completes.
    ///
    /// The first piece that has more than white space determines the format.
    ///
    /// - Throws: ``JSONStreamError``, `ExportCSV.Failure`, or what `body` throws.
    mutating func read(_ bytes: [UInt8], _ body: (Entry) throws -> Void) throws {
        switch format ?? Self.format(of: bytes) {
        case .json(var reader):
            format = nil
            defer { format = .json(reader) }
            try reader.read(bytes) { element in
                try body(Entry(place: "user \(element.index + 1)", user: Self.user(element)))
            }
        case .csv(var reader):
            format = nil
            defer { format = .csv(reader) }
            try reader.read(bytes) { line in
                let user = Result { () throws(ImportFault) in try ImportedUser(line.row.get()) }
                try body(Entry(place: "line \(line.number)", user: user))
            }
        case nil: break
        }
    }

    /// Checks at the end of the file that the file is complete.
    ///
    /// - Throws: ``JSONStreamError`` or `ExportCSV.Failure` for an incomplete file; `ImportFault` for an empty one.
    func finish() throws {
        switch format {
        case .json(let reader): try reader.finish()
        case .csv(let reader): try reader.finish()
        case nil: throw ImportFault("the file is empty")
        }
    }

    /// Returns the format of a file from its first piece: JSON begins with a brace, and CSV with anything else.
    ///
    /// The result is `nil` if the piece has only white space.
    private static func format(of bytes: [UInt8]) -> Format? {
        let first = bytes.first { byte in
            ![UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0xEF, 0xBB, 0xBF]
                .contains(byte)
        }
        guard let first else { return nil }
        return first == UInt8(ascii: "{") ? .json(JSONElementReader(member: "users")) : .csv(ExportCSV())
    }

    private static func user(_ element: JSONElementReader.Element) -> Result<ImportedUser, ImportFault> {
        Result { () throws(ImportFault) in
            let object: JSONObject
            switch element.value {
            case .success(.object(let value)): object = value
            case .success: throw ImportFault("it is not an object")
            case .failure(let error): throw ImportFault("it is not JSON: \(error.kind.rawValue)")
            }
            guard !JSONValue.object(object).containsNUL else { throw ImportFault("it contains U+0000") }
            let row: ImportRow
            do { row = try ImportRow(RequestBody(object, at: "")) } catch RequestError.schema(let text) {
                throw ImportFault(String(text.drop { $0 == "/" }))
            } catch {
                throw ImportFault("it cannot be read")
            }
            return try ImportedUser(row)
        }
    }
}
