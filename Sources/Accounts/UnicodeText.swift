internal import CUnistring

/// The functions of libunistring that the server uses.
///
/// The library is the only source of Unicode data for local parts, so that categories, case and normal form are of one
/// version of Unicode.
enum UnicodeText {
    /// Returns the text in lower case and NFC; `nil` if memory runs out.
    static func lowercasedNFC(_ text: String) -> String? {
        // Normalized first, because the case of a decomposed letter depends on its marks.
        guard let composed = unsafe transform(text, latchkey_u8_nfc) else { return nil }
        return unsafe transform(composed, latchkey_u8_lower_nfc)
    }

    /// Returns the text in NFC; `nil` if memory runs out.
    static func nfc(_ text: String) -> String? {
        unsafe transform(text, latchkey_u8_nfc)
    }

    /// Returns the text in NFKC, without differences of form between characters; `nil` if memory runs out.
    static func nfkc(_ text: String) -> String? {
        unsafe transform(text, latchkey_u8_nfkc)
    }

    /// Whether a character is assigned and visible: not a control, format, surrogate, private-use or unassigned
    /// character, not a space or the blank Braille pattern, and not ignored in display (variation selectors, Hangul
    /// fillers).
    static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        !uc_is_general_category_withtable(scalar.value, UInt32(UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Z))
            && !uc_is_property_default_ignorable_code_point(scalar.value)
            && !uc_is_property_not_a_character(scalar.value)
            // Braille pattern blank: a space in everything but its category.
            && scalar != "\u{2800}"
    }

    /// Whether a character combines with the one before it.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        uc_is_general_category_withtable(scalar.value, UInt32(UC_CATEGORY_MASK_M))
    }

    private typealias Transformation =
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?

    private static func transform(_ text: String, _ transformation: Transformation) -> String? {
        let bytes = Array(text.utf8)
        var count = 0
        // "If successful, returns the result, which must be freed": also for an empty one.
        guard let result = unsafe transformation(bytes, bytes.count, &count) else { return nil }
        defer { unsafe latchkey_u8_free(result) }
        return unsafe String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
    }
}
