import Testing

@testable import Accounts

@Suite("CSV of an export")
struct ExportCSVTests {
    private static func read(_ text: String, pieces: Int = .max) throws -> [ExportCSV.Line] {
        var reader = ExportCSV()
        var lines: [ExportCSV.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(bytes.count, 1))) {
            try reader.read(Array(bytes[start..<min(bytes.count, start + min(pieces, bytes.count))])) {
                lines.append($0)
            }
        }
        try reader.finish()
        return lines
    }

    /// Returns a line as the exporter writes it.
    private static func line(_ fields: [Int: String]) -> String {
        (0..<28).map { fields[$0] ?? "" }.joined(separator: ",") + ",\n"
    }

    @Test func `every column means what the exporter means by it`() throws {
        let text = Self.line([
            0: "u1", 1: "Ann@Example.com", 2: "true", 3: "aGFzaA==", 4: "c2FsdA==", 5: "Ann", 6: "https://p.example/a",
            7: "g-1", 8: "ann@gmail.com", 9: "\"A, B\"", 10: "https://g.example", 11: "f-1", 15: "t-1", 19: "h-1",
            23: "1500000000000", 24: "1600000000000", 25: "+4912345", 26: "true",
            27: #""{""admin"":true,""say"":""\"hi\", x""}""#,
        ])
        let row = try #require(try Self.read(text).first?.row.get())
        #expect(row.uid == "u1" && row.email == "Ann@Example.com" && row.isEmailVerified && row.hasPassword)
        #expect(
            row.displayName == "Ann" && row.photoURL == "https://p.example/a" && row.isDisabled && row.hasPhoneNumber
        )
        #expect(row.providers.map(\.providerID) == ["google.com", "facebook.com", "twitter.com", "github.com"])
        #expect(row.providers.map(\.rawID) == ["g-1", "f-1", "t-1", "h-1"])
        #expect(row.providers.first?.email == "ann@gmail.com" && row.providers.first?.displayName == "A, B")
        #expect(row.createdAt == 1_500_000_000_000 && row.lastLoginAt == 1_600_000_000_000)
        #expect(row.customAttributes == #"{"admin":true,"say":"\"hi\", x"}"#)
    }

    @Test func `quotes are read as the exporter writes them`() throws {
        let cases = [
            ("\"a, b\"", "a, b"), ("\"a \"b\" c, d\"", "a \"b\" c, d"), ("\"a \"\"b\"\", c\"", "a \"b\", c"),
            ("a \"b\"", "a \"b\""), ("\"a,\nb\"", "a,\nb"), ("ü", "ü"),
        ]
        for (field, name) in cases {
            let text = Self.line([0: "u", 5: field]) + Self.line([0: "v"]).replacing("\n", with: "\r\n")
            for pieces in [1, 3, Int.max] {
                let rows = try Self.read(text, pieces: pieces).map { try $0.row.get() }
                #expect(rows.map(\.uid) == ["u", "v"])
                #expect(rows.first?.displayName == name)
            }
        }
    }

    @Test func `a bad line is told by its number and does not hide the next ones`() throws {
        // The exporter's output for a name with a quote before a comma is ambiguous.
        let unclear = try Self.read(Self.line([0: "u", 5: "\"a \"b\", c\""]))
        #expect(throws: ImportFault.self) { try unclear.first?.row.get() }
        let text = "a,b\n" + Self.line([0: "u", 5: "\"x,\ny\""]) + "\n" + Self.line([0: "v\0"]) + Self.line([0: "w"])
        let lines = try Self.read(text)
        #expect(lines.map(\.number) == [1, 2, 5, 6])
        #expect(throws: ImportFault("the line has 2 columns instead of 28")) { try lines[0].row.get() }
        #expect(throws: ImportFault("the line contains U+0000")) { try lines[2].row.get() }
        var reader = ExportCSV()
        var faults: [ImportFault] = []
        try reader.read([0xFF] + Array(Self.line([:]).utf8)) { line in
            if case .failure(let fault) = line.row { faults.append(fault) }
        }
        #expect(faults == [ImportFault("the line is not UTF-8")])
    }

    @Test func `a file that is cut is told as such, and so is a line without an end`() throws {
        let text = Self.line([0: "u"]) + Self.line([0: "v", 5: "\"a, b\""])
        let bytes = Array(text.utf8), first = Self.line([0: "u"]).utf8.count
        for length in 1..<bytes.count where length != first {
            #expect(throws: ExportCSV.Failure.unexpectedEnd(line: length < first ? 1 : 2)) {
                try Self.read(String(decoding: bytes[..<length], as: UTF8.self))
            }
        }
        var endless = ExportCSV()
        #expect(throws: ExportCSV.Failure.lineTooLong(line: 1)) {
            for _ in 0..<100 { try endless.read([UInt8](repeating: 0x61, count: 65536)) { _ in } }
        }
    }
}
