/// The `KEY=value` words after a path (RFC 5321 §4.1.2: esmtp-param).
package struct SMTPParameters: Sendable, Equatable {
    /// The words in the order of the line, keys in upper case.
    package let items: [Item]

    /// One word: `SIZE=1000` or `SMTPUTF8`.
    package struct Item: Sendable, Equatable {
        /// The key in upper case.
        package let key: String
        /// The text after the "="; nil without one.
        package let value: String?
    }

    /// Reads the words; nil if the syntax is wrong or a key occurs twice.
    ///
    /// - Parameter bytes: what follows the path: nothing, or words each after spaces.
    package init?(parsing bytes: ArraySlice<UInt8>) {
        var items: [Item] = []
        for word in bytes.split(separator: 0x20) {
            let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, Self.isKey(key) else { return nil }
            let name = String(decoding: key, as: UTF8.self).uppercased()
            guard !items.contains(where: { $0.key == name }) else { return nil }
            guard parts.count == 2 else {
                items.append(Item(key: name, value: nil))
                continue
            }
            guard !parts[1].isEmpty, let value = String(validating: parts[1], as: UTF8.self) else { return nil }
            items.append(Item(key: name, value: value))
        }
        self.items = items
    }

    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first != UInt8(ascii: "-") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39, 0x2d: true
            default: false
            }
        }
    }
}
