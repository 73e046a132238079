/// A message or one part of it (RFC 2045), as far as reports of deliveries need it: its type and its lines.
struct MessagePart {
    /// The header fields of a message or a part, by their names in lower case.
    struct Fields {
        private let values: [(name: String, value: String)]

        fileprivate init(_ values: [(name: String, value: String)]) { self.values = values }

        /// Returns the values of all fields with this name, which is in lower case, in order.
        func all(_ name: String) -> [String] { values.filter { $0.name == name }.map(\.value) }
    }

    /// The media type in lower case, without parameters; `text/plain` if none is given.
    let type: String
    /// The lines of the body.
    let lines: [String]
    private let boundary: String?

    private static let mostLines = 20_000

    /// Parses a message from its bytes; bytes that are not UTF-8 are replaced.
    init(_ bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"),
            maxSplits: Self.mostLines,
            omittingEmptySubsequences: false
        )
        self.init(
            lines: lines.prefix(Self.mostLines).map { line in
                String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
        )
    }

    private init(lines: [String]) {
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        let contentType = Self.fields(of: Array(lines[..<end])).all("content-type").first ?? "text/plain"
        let parameters = contentType.split(separator: ";").map(\.trimmingSpaces)
        type = parameters.first?.lowercased() ?? ""
        boundary = parameters.first { $0.lowercased().hasPrefix("boundary=") }.map { parameter in
            let value = parameter.dropFirst("boundary=".count)
            return String(value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value)
        }
        self.lines = end < lines.endIndex ? Array(lines[(end + 1)...]) : []
    }

    /// Returns the parts of a multipart body, at most `limit`; `nil` without a boundary.
    func parts(atMost limit: Int) -> [MessagePart]? {
        guard let boundary, !boundary.isEmpty else { return nil }
        var parts: [MessagePart] = []
        var current: [String]?
        for line in lines {
            let isEnd = line.hasPrefix("--\(boundary)--")
            guard
                isEnd || (line.hasPrefix("--\(boundary)") && line.dropFirst(2 + boundary.count).trimmingSpaces.isEmpty)
            else {
                current?.append(line)
                continue
            }
            if let current, parts.count < limit { parts.append(MessagePart(lines: current)) }
            if isEnd { return parts }
            current = []
        }
        // A report that was cut off.
        if let current, parts.count < limit { parts.append(MessagePart(lines: current)) }
        return parts
    }

    /// Parses the header fields at the start of some lines, up to an empty line, and unfolds them (RFC 5322 section
    /// 2.2.3).
    ///
    /// Lines that are no fields are left out.
    static func fields(of lines: [String]) -> Fields {
        var fields: [(name: String, value: String)] = []
        for line in lines.prefix(while: { !$0.isEmpty }).prefix(1000) {
            if line.first == " " || line.first == "\t" {
                guard let last = fields.indices.last, fields[last].value.utf8.count < 2000 else { continue }
                fields[last].value += " " + line.trimmingSpaces
            } else if let colon = line.firstIndex(of: ":") {
                let name = line[..<colon].trimmingSpaces.lowercased()
                fields.append((name: name, value: line[line.index(after: colon)...].trimmingSpaces))
            }
        }
        return Fields(fields)
    }
}
