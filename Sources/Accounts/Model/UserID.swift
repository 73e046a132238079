/// The UIDs that others may choose: administrators, imports and custom tokens.
package enum UserID {
    /// The most bytes that one has.
    package static let longest = 128

    /// Whether a text may be a UID: 1 to 128 bytes, no control characters, and in the one form of Unicode (NFC) in which
    /// texts that look the same are the same, so that nobody is taken for somebody else.
    package static func isAllowed(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= longest else { return false }
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return true }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            let normal = UnicodeText.nfc(text)
        else { return false }
        return normal.utf8.elementsEqual(text.utf8)
    }
}
