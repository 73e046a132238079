/// The UIDs that administrators, imports and custom tokens may choose.
package enum UserID {
    /// The maximum length, in bytes.
    package static let longest = 128

    /// Whether a text may be a UID: 1 to 128 bytes, no control characters, in NFC.
    ///
    /// NFC makes texts that look the same equal, so that one user cannot be mistaken for another.
    package static func isAllowed(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= longest else { return false }
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return true }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            let normal = UnicodeText.nfc(text)
        else { return false }
        return normal.utf8.elementsEqual(text.utf8)
    }
}
