extension EmailAddress {
    /// Why a text is not an address.
    ///
    /// It says nothing of the text.
    package enum Invalid: String, Error {
        /// More than ``longestInput`` bytes, or longer than addresses may be once it is canonical.
        case tooLong = "too long"
        /// No `@`, or several.
        case notOneAt = "not exactly one @"
        /// Before the `@`: empty, a dot out of place, quotes, a character that cannot stand there.
        case localPart = "not a local part"
        /// After the `@`: an address literal, an empty label, not a domain name by IDNA 2008.
        case domain = "not a domain name"
    }

    /// The bytes of the longest text that is looked at.
    ///
    /// An address of 254 bytes is longer before normalisation and IDNA, but not by more than this.
    package static let longestInput = 1024

    /// Reads an address that somebody typed or sent.
    ///
    /// Quoted local parts, address literals, comments and display names are refused, and everywhere all control,
    /// format, invisible and unassigned characters. Domains of one label (`localhost`) are taken: development uses them.
    ///
    /// - Parameter text: Any text; nothing is assumed of it.
    /// - Throws: ``Invalid``.
    package init(parsing text: String) throws(Invalid) {
        guard text.utf8.count <= Self.longestInput else { throw .tooLong }
        let scalars = text.unicodeScalars.trimmingWhiteSpace()
        let parts = scalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .notOneAt }
        let localPart = try LocalPart.canonical(parts[0])
        guard let domain = DomainName.canonical(parts[1]) else { throw .domain }
        // RFC 5321 section 4.5.3.1 and its erratum 1690: a path is 256 bytes with its angle brackets.
        guard localPart.utf8.count <= 64, domain.utf8.count <= 253, localPart.utf8.count + domain.utf8.count < 254
        else {
            throw .tooLong
        }
        self.init(localPart: localPart, domain: domain)
    }
}

extension String.UnicodeScalarView {
    fileprivate func trimmingWhiteSpace() -> Substring.UnicodeScalarView {
        guard let first = firstIndex(where: { !$0.properties.isWhitespace }),
            let last = lastIndex(where: { !$0.properties.isWhitespace })
        else { return Substring.UnicodeScalarView() }
        return self[first...last]
    }
}
