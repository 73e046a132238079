/// The part of an address before the `@`: a dot-atom (RFC 5322 section 3.2.3) with the letters of RFC 6532.
enum LocalPart {
    /// Returns the local part in NFC and lower case.
    ///
    /// - Throws: ``EmailAddress/Invalid/localPart``.
    static func canonical(_ scalars: Substring.UnicodeScalarView) throws(EmailAddress.Invalid) -> String {
        let text = String(scalars)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            let lowered = String(decoding: text.utf8.map(lowercased), as: UTF8.self)
            guard isDotAtom(lowered) else { throw .localPart }
            return lowered
        }
        guard scalars.allSatisfy({ $0.isASCII || UnicodeText.isVisible($0) }),
            let lowered = UnicodeText.lowercasedNFC(text), isDotAtom(lowered),
            // Characters that only look different (U+FF20, a wide @) are checked in their plain form.
            let plain = UnicodeText.nfkc(lowered), isDotAtom(plain),
            // If another pass changed the text, one address would have two canonical forms.
            UnicodeText.lowercasedNFC(lowered).map({ $0.utf8.elementsEqual(lowered.utf8) }) == true
        else { throw .localPart }
        return lowered
    }

    /// Whether a text consists of atoms with single dots between them, and no atom starts with a combining mark.
    private static func isDotAtom(_ text: String) -> Bool {
        var atStart = true
        for scalar in text.unicodeScalars {
            if scalar == "." {
                guard !atStart else { return false }
                atStart = true
                continue
            }
            guard scalar.isASCII ? isAtomCharacter(scalar) : UnicodeText.isVisible(scalar) else { return false }
            guard !(atStart && UnicodeText.isMark(scalar)) else { return false }
            atStart = false
        }
        return !atStart
    }

    /// Whether a character is `atext` (RFC 5322 section 3.2.3).
    private static func isAtomCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "!", "#", "$", "%", "&", "'", "*", "+", "-", "/", "=", "?", "^", "_", "`", "{", "|", "}", "~": true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
