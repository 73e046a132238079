extension EmailAddress {
    /// The reason why a text is not an address.
    ///
    /// Reveals nothing about the text.
    package enum Invalid: String, Error {
        /// More than ``longestInput`` bytes, or too long in canonical form.
        case tooLong = "too long"
        /// No `@`, or more than one.
        case notOneAt = "not exactly one @"
        /// The part before the `@` is empty, quoted, or has a misplaced dot or a character that is not allowed.
        case localPart = "not a local part"
        /// The part after the `@` is an address literal, has an empty label, ends in a label of digits alone, or is not a
        /// domain name by IDNA 2008.
        case domain = "not a domain name"
    }

    /// The maximum length of a text to parse, in bytes.
    ///
    /// An address of at most 254 bytes may be longer before normalization and IDNA, but not longer than this.
    package static let longestInput = 1024

    /// Parses an address that a user typed or a client sent.
    ///
    /// Refuses quoted local parts, address literals, comments and display names, and all control, format, invisible and
    /// unassigned characters. Accepts domains of one label (`localhost`), which development uses.
    ///
    /// - Parameter text: any text.
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
