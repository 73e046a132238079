internal import CIDN2

/// Parsing of the domain of an address, by IDNA 2008 (RFC 5891).
enum DomainName {
    /// Returns the domain in A-labels and lower case; `nil` if it is not a domain name.
    ///
    /// The caller checks the total length.
    static func canonical(_ scalars: Substring.UnicodeScalarView) -> String? {
        let text = String(scalars)
        guard needsIDNA(text) else {
            let lowered = text.lowercased()
            return isHostName(lowered) ? lowered : nil
        }
        // The mapping of UTS #46 drops invisible characters and wide spaces; an address that contains one is refused.
        guard scalars.allSatisfy({ isHostCharacter($0) || (!$0.isASCII && UnicodeText.isVisible($0)) }),
            let ascii = lookup(text, IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue),
            // libidn2 keeps characters other than letters, digits and hyphens (with IDN2_USE_STD3_ASCII_RULES it drops
            // them, which makes a different domain), and accepts some symbols that a mapping produces.
            isHostName(ascii),
            let unicode = unicodeForm(of: ascii),
            lookup(unicode, IDN2_NFC_INPUT.rawValue | IDN2_NO_TR46.rawValue) == ascii
        else { return nil }
        return ascii
    }

    /// Returns a canonical domain with the letters that its A-labels stand for; unchanged if the letters include
    /// invisible ones.
    static func displayForm(of domain: String) -> String {
        guard needsIDNA(domain), let unicode = unicodeForm(of: domain),
            unicode.unicodeScalars.allSatisfy({ $0.isASCII || UnicodeText.isVisible($0) })
        else { return domain }
        return unicode
    }

    /// Whether a domain is not ASCII or has a label that begins with `xn--`, so that libidn2 has to process it.
    private static func needsIDNA(_ text: String) -> Bool {
        !text.utf8.allSatisfy { $0 < 0x80 }
            || text.lowercased().split(separator: ".").contains { $0.hasPrefix("xn--") }
    }

    /// Whether an ASCII text consists of labels of lower-case letters, digits and inner hyphens, each of 1 to 63
    /// characters (RFC 1123 section 2.1).
    ///
    /// A last label of digits alone is refused, because resolvers would take the name for an IPv4 address.
    private static func isHostName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, !last.allSatisfy({ isDigit($0) }) else { return false }
        return labels.allSatisfy { label in
            1...63 ~= label.count && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isDigit($0) || isLowercaseLetter($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".": true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLowercaseLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    // MARK: libidn2

    /// Returns the A-labels of a domain, as libidn2 converts it; `nil` if libidn2 rejects it.
    ///
    /// The text contains no U+0000, because its characters were checked.
    private static func lookup(_ text: String, _ flags: UInt32) -> String? {
        var result: UnsafeMutablePointer<UInt8>?
        // "On success, the result is allocated and must be freed with idn2_free"; it is not touched on failure.
        guard unsafe idn2_lookup_u8(text, &result, Int32(bitPattern: flags)) == IDN2_OK.rawValue,
            let result = unsafe result
        else { return nil }
        defer { unsafe idn2_free(result) }
        return unsafe String(cString: result)
    }

    private static func unicodeForm(of domain: String) -> String? {
        var result: UnsafeMutablePointer<CChar>?
        guard unsafe idn2_to_unicode_8z8z(domain, &result, 0) == IDN2_OK.rawValue, let result = unsafe result else {
            return nil
        }
        defer { unsafe idn2_free(result) }
        return unsafe String(cString: result)
    }
}
