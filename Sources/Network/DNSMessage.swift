/// Messages of DNS: questions and the records of answers (RFC 1035, section 4).
package enum DNSMessage {
    /// The type of text records.
    package static let textType: UInt16 = 16

    /// A record of the wanted type.
    package struct Record: Sendable, Equatable {
        /// The content of the record as it arrived.
        package let data: [UInt8]

        /// The strings of a TXT record, joined (RFC 7208, section 3.3).
        package var text: String {
            var bytes: [UInt8] = []
            var rest = data[...]
            while let length = rest.popFirst() {
                bytes += rest.prefix(Int(length))
                rest = rest.dropFirst(Int(length))
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns a question for a resolver; `nil` if the name is not one of DNS.
    package static func question(_ name: String, type: UInt16, id: UInt16) -> [UInt8]? {
        var labels: [UInt8] = []
        for label in name.split(separator: ".", omittingEmptySubsequences: false) {
            guard (1...63).contains(label.utf8.count), label.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return nil
            }
            labels.append(UInt8(label.utf8.count))
            labels += label.utf8
        }
        guard labels.count <= 254 else { return nil }
        // Recursion is desired; one question and one additional record, which says that 1232 bytes fit (RFC 6891).
        let head: [UInt8] = [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]
        let extensions: [UInt8] = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
        return bytes(id) + head + labels + [0] + bytes(type) + [0, 1] + extensions
    }

    /// Whether a message answers this question: it has the same id and repeats the question.
    package static func isAnswer(_ message: [UInt8], to question: [UInt8]) -> Bool {
        guard message.count >= 12, question.count > 12 + 11, message[0] == question[0], message[1] == question[1],
            message[2] & 0x80 != 0
        else { return false }
        // The server may change the case of the name.
        let asked = question[12..<question.count - 11]
        guard message.count >= 12 + asked.count else { return false }
        return zip(asked, message[12...]).allSatisfy { lower($0) == lower($1) }
    }

    /// Whether the answer was cut off because it did not fit.
    package static func isTruncated(_ message: [UInt8]) -> Bool {
        message.count > 2 && message[2] & 0x02 != 0
    }

    /// Returns the records of a type in an answer, whatever their names, because aliases lead to other names.
    ///
    /// A name that does not exist has no records.
    ///
    /// - Throws: `refused` with the server's code, or `malformed`.
    package static func records(in message: [UInt8], type: UInt16) throws(DNSResolver.Failure) -> [Record] {
        guard message.count >= 12 else { throw .malformed }
        let code = Int(message[3] & 0x0F)
        if code == 3 { return [] }
        guard code == 0 else { throw .refused(code) }
        var position = 12
        for _ in 0..<number(message, at: 4) {
            position = try skipName(message, position) + 4
        }
        var records: [Record] = []
        for _ in 0..<number(message, at: 6) {
            position = try skipName(message, position)
            guard position + 10 <= message.count else { throw .malformed }
            let end = position + 10 + number(message, at: position + 8)
            guard end <= message.count else { throw .malformed }
            if number(message, at: position) == Int(type) {
                records.append(Record(data: Array(message[position + 10..<end])))
            }
            position = end
        }
        return records
    }

    /// Returns the position after a name, which ends with an empty label or a pointer to an earlier one.
    private static func skipName(_ message: [UInt8], _ start: Int) throws(DNSResolver.Failure) -> Int {
        var position = start
        while position < message.count {
            let length = message[position]
            if length == 0 { return position + 1 }
            if length & 0xC0 == 0xC0 { return position + 2 }
            guard length & 0xC0 == 0 else { throw .malformed }
            position += Int(length) + 1
        }
        throw .malformed
    }

    /// Returns the 16-bit number at a position within the message.
    private static func number(_ message: [UInt8], at position: Int) -> Int {
        Int(message[position]) << 8 | Int(message[position + 1])
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
