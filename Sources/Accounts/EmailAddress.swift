/// An e-mail address in the one form in which addresses are compared, looked up, stored and sent to.
///
/// The canonical form is `local@domain` (RFC 5321 section 4.1.2, RFC 6531 section 3.3):
/// - White space at both ends is removed.
/// - The local part is NFC and lower case. It is lowercased by Unicode's mapping without the rules of any one language
///   (`İ` becomes `i̇`), and not by case folding, which would turn `straße` into `strasse`, another mailbox.
/// - The domain is ASCII and lower case. Its labels are A-labels of IDNA 2008 (RFC 5891) after the mapping of UTS #46,
///   non-transitional: `Faß.de` becomes `xn--fa-hia.de`.
///
/// Parsing the canonical or the display form returns the same address.
package struct EmailAddress: Sendable, Hashable {
    /// The part before the `@`; not ASCII if ``needsSMTPUTF8``.
    package let localPart: String
    /// The part after the `@`, always ASCII: `example.com`, `xn--bcher-kva.de`.
    package let domain: String

    /// The address in its canonical form, at most 254 bytes.
    package var canonical: String {
        "\(localPart)@\(domain)"
    }

    /// Whether the address needs servers that announce SMTPUTF8 (RFC 6531).
    ///
    /// A domain never needs it, because its ASCII form is used.
    package var needsSMTPUTF8: Bool {
        !localPart.utf8.allSatisfy { $0 < 0x80 }
    }

    /// The address for SMTP without SMTPUTF8; `nil` if the address needs SMTPUTF8.
    package var asciiForm: String? {
        needsSMTPUTF8 ? nil : canonical
    }

    /// The address for people to read, with the letters of the domain instead of A-labels.
    ///
    /// Use it only in pages and e-mails. A domain whose letters include invisible ones stays in A-labels.
    package var displayForm: String {
        "\(localPart)@\(DomainName.displayForm(of: domain))"
    }
}

extension EmailAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder without the address, because accidental output ends up in logs, which must not contain addresses.
    package var description: String { "<e-mail address>" }
    /// The same placeholder as ``description``.
    package var debugDescription: String { description }
    /// An empty mirror, so that no dump shows the address.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
