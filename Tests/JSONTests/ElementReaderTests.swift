import Testing

@testable import JSON

@Suite("Elements of long arrays")
struct ElementReaderTests {
    /// The result of reading a text: the elements as JSON or their error, and why reading ended.
    private struct Reading: Equatable {
        var elements: [String] = []
        var offsets: [Int] = []
        var error: JSONStreamError?
    }

    private static func read(_ pieces: [[UInt8]], maximumElement: Int = 1 << 20) -> Reading {
        var reader = JSONElementReader(member: "users", maximumElement: maximumElement)
        var reading = Reading()
        do {
            for piece in pieces {
                try reader.read(piece) { element in
                    #expect(element.index == reading.elements.count)
                    reading.offsets.append(element.offset)
                    switch element.value {
                    case .success(let value):
                        reading.elements.append(String(decoding: value.serialized(), as: UTF8.self))
                    case .failure(let error): reading.elements.append("\(error)")
                    }
                }
            }
            try reader.finish()
        } catch {
            reading.error = error as? JSONStreamError
        }
        return reading
    }

    private static func read(_ text: String) -> Reading { read([Array(text.utf8)]) }

    static let whole = """
        \u{FEFF} { "kind":"x" , "skipped": {"users":[1,{"a":"]}"}]}, "n": -1.5e3, "users" : [\r
            {"localId":"a","name":"q\\"u}\\\\"} , {"b":[1,[2]]},"text",12 ,true,[],{} ] , "after": null } \n
        """

    @Test func `elements come as they stand, and what lies around them is passed over`() {
        let reading = Self.read(Self.whole)
        #expect(reading.error == nil)
        #expect(
            reading.elements == [
                #"{"localId":"a","name":"q\"u}\\"}"#, #"{"b":[1,[2]]}"#, #""text""#, "12", "true", "[]", "{}",
            ]
        )
        let bytes = Array(Self.whole.utf8)
        #expect(reading.offsets.prefix(3).map { bytes[$0] } == Array("{{\"".utf8))
    }

    @Test func `where the pieces end makes no difference`() {
        let bytes = Array(Self.whole.utf8), whole = Self.read([bytes])
        for size in 1...bytes.count {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(Self.read(pieces) == whole, "\(size)")
        }
    }

    @Test func `a text that is cut anywhere is told as such, after the elements before`() {
        let text = #"{"users":[{"a":1},{"b":"x"},{"c":3}]}"#, bytes = Array(text.utf8)
        let ends = [18, 28, 36]
        for length in 0..<bytes.count {
            let reading = Self.read([Array(bytes[..<length])])
            let complete = ends.count { $0 - 1 <= length }
            #expect(reading.error == JSONStreamError(.unexpectedEnd, at: length, afterElements: complete))
            #expect(reading.elements.count == complete, "\(length)")
        }
    }

    @Test func `an element that is no JSON does not hide the next ones`() {
        let reading = Self.read(#"{"users":[{"a":1,"a":2},{"b":tru},"\#u{1}",{"c":[}},{"d":4}]}"#)
        #expect(reading.error == nil)
        #expect(
            reading.elements == [
                "duplicate name at byte 17", "unexpected byte at byte 32", "control character in a string at byte 35",
                "unexpected byte at byte 44", #"{"d":4}"#,
            ]
        )
    }

    @Test(arguments: [
        ("[]", JSONStreamError.Kind.unexpectedByte, 0), ("x", .unexpectedByte, 0), ("{,}", .unexpectedByte, 1),
        (#"{"users":{}}"#, .unexpectedByte, 9), (#"{"users":[1 2]}"#, .unexpectedByte, 12),
        (#"{"users":[1,]}"#, .unexpectedByte, 12), (#"{"users":[1,,2]}"#, .unexpectedByte, 12),
        (#"{"users":[]"users":[]}"#, .unexpectedByte, 11), (#"{"users":[],"users":[]}"#, .unexpectedByte, 20),
        (#"{"users":[]} x"#, .unexpectedByte, 13), (#"{"users":[]]}"#, .unexpectedByte, 11), (#"{"a":1}"#, .noArray, 7),
        (#"{"a":}"#, .unexpectedByte, 5), ("{}", .noArray, 2), ("", .unexpectedEnd, 0),
        (#"{"\x":1}"#, .unexpectedByte, 1),
    ])
    func `what is wrong around the elements ends the reading`(text: String, kind: JSONStreamError.Kind, offset: Int) {
        let error = Self.read(text).error
        #expect(error?.kind == kind)
        #expect(error?.offset == offset)
    }

    @Test func `an element has a longest length, however it comes`() {
        let text = Array(#"{"users":[{"a":"1234567890"},{"a":"12345678901"},{}]}"#.utf8)
        for pieces in [[text], text.map { [$0] }] {
            let reading = Self.read(pieces, maximumElement: 18)
            #expect(reading.elements.count == 1)
            #expect(reading.error == JSONStreamError(.elementTooLong, at: 29, afterElements: 1))
        }
        let name = Array(("{\"" + String(repeating: "n", count: 50)).utf8)
        #expect(Self.read(name.map { [$0] }, maximumElement: 18).error?.kind == .elementTooLong)
    }
}
