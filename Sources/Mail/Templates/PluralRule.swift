/// The plural categories of CLDR (Unicode Technical Standard 35, part 3, section 5).
package enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

/// The rule by which a language chooses a plural category for a whole number (CLDR 48's cardinal rules).
package struct PluralRule: Sendable {
    /// Rules that several languages share, each named after one of them.
    private enum Family {
        case english, japanese, spanish, french, hindi
        case russian, polish, croatian, czech, slovenian, macedonian, lithuanian, latvian
        case romanian, hebrew, arabic, maltese, irish, scottishGaelic, welsh
    }

    private let family: Family

    /// Finds the rule of a language.
    ///
    /// - Parameter locale: a language tag, such as "pt-BR". A language that is not listed here has English's rule.
    package init(_ locale: String) {
        family = Self.family(of: locale.lowercased())
    }

    private static func family(of locale: String) -> Family {
        switch locale.prefix(while: { $0 != "-" }) {
        case "id", "ja", "km", "ko", "lo", "ms", "my", "th", "vi", "yue", "zh": .japanese
        case "pt" where locale.hasPrefix("pt-pt"): .spanish
        case "ca", "es", "it": .spanish
        case "fr", "pt": .french
        case "am", "as", "bn", "fa", "gu", "hi", "hy", "kn", "pa", "si", "zu": .hindi
        case "be", "ru", "uk": .russian
        case "pl": .polish
        case "bs", "hr", "sh", "sr": .croatian
        case "cs", "sk": .czech
        case "sl": .slovenian
        case "is", "mk": .macedonian
        case "lt": .lithuanian
        case "lv": .latvian
        case "mo", "ro": .romanian
        case "he", "iw": .hebrew
        case "ar": .arabic
        case "mt": .maltese
        case "ga": .irish
        case "gd": .scottishGaelic
        case "cy": .welsh
        default: .english
        }
    }

    /// Returns the category of a number, which is not negative.
    package func category(of number: Int) -> PluralCategory {
        let tens = number % 100, ones = number % 10
        let isTeen = (11...19).contains(tens)
        switch family {
        case .japanese: return .other
        case .english: return number == 1 ? .one : .other
        case .spanish: return number == 1 ? .one : Self.isMillions(number) ? .many : .other
        case .french: return number <= 1 ? .one : Self.isMillions(number) ? .many : .other
        case .hindi: return number <= 1 ? .one : .other
        case .russian: return Self.slavic(number) ?? .many
        case .polish: return number == 1 ? .one : Self.slavic(number) == .few ? .few : .many
        case .croatian: return Self.slavic(number) ?? .other
        case .czech: return number == 1 ? .one : (2...4).contains(number) ? .few : .other
        case .slovenian: return tens == 1 ? .one : tens == 2 ? .two : (3...4).contains(tens) ? .few : .other
        case .macedonian: return ones == 1 && tens != 11 ? .one : .other
        case .lithuanian: return isTeen || ones == 0 ? .other : ones == 1 ? .one : .few
        case .latvian: return isTeen || ones == 0 ? .zero : ones == 1 ? .one : .other
        case .romanian: return number == 1 ? .one : number == 0 || (1...19).contains(tens) ? .few : .other
        case .hebrew: return number == 1 ? .one : number == 2 ? .two : .other
        case .arabic: return Self.small(number) ?? ((3...10).contains(tens) ? .few : tens >= 11 ? .many : .other)
        case .maltese:
            let category = number == 0 ? nil : Self.small(number)
            return category ?? (number == 0 || (3...10).contains(tens) ? .few : isTeen ? .many : .other)
        case .irish:
            let category = number == 0 ? nil : Self.small(number)
            return category ?? ((3...6).contains(number) ? .few : (7...10).contains(number) ? .many : .other)
        case .scottishGaelic:
            let category = (1...2).contains(number % 10) && number < 20 ? Self.small(number % 10) : nil
            return category ?? ((3...19).contains(number) ? .few : .other)
        case .welsh: return Self.small(number) ?? (number == 3 ? .few : number == 6 ? .many : .other)
        }
    }

    /// Whether a number is a multiple of a million but not 0, which Romance languages count as in "un millón de
    /// minutos".
    private static func isMillions(_ number: Int) -> Bool { number != 0 && number.isMultiple(of: 1_000_000) }

    /// The category of a number that ends like 1, or like 2 to 4, in Slavic languages; `nil` for other numbers.
    private static func slavic(_ number: Int) -> PluralCategory? {
        guard !(11...14).contains(number % 100) else { return nil }
        return number % 10 == 1 ? .one : (2...4).contains(number % 10) ? .few : nil
    }

    /// The category of 0, 1 or 2 in languages with a form for each; `nil` for other numbers.
    private static func small(_ number: Int) -> PluralCategory? {
        switch number {
        case 0: .zero
        case 1: .one
        case 2: .two
        default: nil
        }
    }
}
