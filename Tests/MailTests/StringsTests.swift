import Mail
import Testing

/// The shipped texts: each language against English.
@Suite("Built-in texts")
struct StringsTests {
    @Test(arguments: LocaleChoice.shipped)
    func `every language has every text, and no other`(_ locale: String) throws {
        let library = try TemplateLibrary.builtIn
        let english = try #require(library.languages["en"]).keys
        let own = try #require(library.languages[locale]).keys
        #expect(english.count > 120)
        #expect(Set(own).symmetricDifference(english) == [])
    }

    @Test(arguments: LocaleChoice.shipped)
    func `every text has the placeholders of the English one`(_ locale: String) throws {
        let library = try TemplateLibrary.builtIn
        let english = try #require(library.languages["en"])
        let own = try #require(library.languages[locale])
        for key in english.keys {
            let expected = Self.placeholders(try #require(english[key]?.texts[.other]))
            let texts = try #require(own[key]).texts
            #expect(Self.placeholders(try #require(texts[.other])) == expected, "\(key)")
            // Where a category is a single number, its form may be a word.
            for text in texts.values { #expect(Self.placeholders(text).isSubset(of: expected), "\(key)") }
        }
    }

    @Test(arguments: LocaleChoice.shipped)
    func `a text with a number has the plural forms of its language`(_ locale: String) throws {
        let strings = try #require(try TemplateLibrary.builtIn.languages[locale])
        let rule = PluralRule(locale)
        let needed = Set((1...100_000).map { rule.category(of: $0) })
        var count = 0
        for key in strings.keys {
            let texts = try #require(strings[key]).texts
            let isCounted = ["minutes", "hours", "days"].contains { texts[.other]?.contains("{{\($0)}}") == true }
            // Some languages use "other" only for fractions, but it stands in for missing forms.
            #expect(Set(texts.keys) == (isCounted ? needed.union([.other]) : [.other]), "\(key)")
            if isCounted { count += 1 }
        }
        #expect(count == 10)
    }

    @Test(arguments: LocaleChoice.shipped)
    func `a text has no markup, no entities and no line breaks`(_ locale: String) throws {
        let strings = try #require(try TemplateLibrary.builtIn.languages[locale])
        for key in strings.keys {
            for text in try #require(strings[key]).texts.values {
                #expect(!text.isEmpty && !text.contains { "<>&\n\r\t".contains($0) }, "\(key)")
            }
        }
    }

    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /{{(\w+)}}/).map { String($0.output.1) })
    }
}
