/// An e-mail address in the one form in which addresses are compared, looked up, stored and sent to.
///
/// The canonical form is `local@domain` (RFC 5321 section 4.1.2, RFC 6531 section 3.3):
/// - White space at both ends is taken off.
/// - The local part is NFC and lower case. Lower case by Unicode's mapping without the rules of any one language
///   (`İ` becomes `i̇`), and not by case folding: that would turn `straße` into `strasse`, another mailbox.
/// - The domain is ASCII, lower case, its labels A-labels of IDNA 2008 (RFC 5891) after the mapping of UTS #46,
///   non-transitional: `Faß.de` is `xn--fa-hia.de`.
///
/// Parsing the canonical or the display form gives the same address again.
package struct EmailAddress: Sendable, Hashable {
    /// Before the `@`; not ASCII when ``needsSMTPUTF8``.
    package let localPart: String
    /// After the `@`, always ASCII: `example.com`, `xn--bcher-kva.de`.
    package let domain: String

    /// The address in its canonical form, at most 254 bytes.
    package var canonical: String {
        "\(localPart)@\(domain)"
    }

    /// Whether the address can only travel between servers that announce SMTPUTF8 (RFC 6531).
    ///
    /// A domain never needs it: its ASCII form is used.
    package var needsSMTPUTF8: Bool {
        !localPart.utf8.allSatisfy { $0 < 0x80 }
    }

    /// The address for SMTP without SMTPUTF8, `nil` when it needs that.
    package var asciiForm: String? {
        needsSMTPUTF8 ? nil : canonical
    }

    /// The address as a person reads it, with the letters of the domain instead of A-labels.
    ///
    /// For pages and mails only. A domain whose letters include invisible ones stays in A-labels.
    package var displayForm: String {
        "\(localPart)@\(DomainName.displayForm(of: domain))"
    }
}

extension EmailAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the address: what is printed by accident ends in logs, and addresses stay out of them.
    package var description: String { "<e-mail address>" }
    /// Nothing of the address.
    package var debugDescription: String { description }
    /// Nothing of the address.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
