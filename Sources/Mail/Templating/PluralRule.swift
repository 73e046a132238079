/// The plural categories of CLDR (Unicode Technical Standard 35, part 3, section 5).
package enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

/// The rule by which a language chooses a plural category for a whole number.
package struct PluralRule: Sendable {
    private let family: PluralFamily

    /// Finds the rule of a language in CLDR.
    ///
    /// - Parameter locale: a language tag, such as "pt-BR". A language that CLDR has no rule for has English's rule.
    package init(_ locale: String) {
        let locale = locale.lowercased()
        let language = String(locale.prefix { $0 != "-" })
        family = PluralFamily(locale) ?? PluralFamily(LocaleChoice.formerCodes[language] ?? language) ?? .en
    }

    /// Returns the category of a number, which is not negative.
    package func category(of number: Int) -> PluralCategory { family.category(of: number) }
}
