import Foundation
import Testing

@testable import Mail

/// The tables from CLDR, against what babel made of the same data (`Scripts/make-cldr-tables`).
@Suite("Tables from CLDR")
struct CLDRTests {
    private struct Examples: Decodable {
        let numbers: [Int]
        /// The categories of ``numbers`` by language, each as a digit.
        let plurals: [String: String]
        /// Texts by language and milliseconds since 1970, in UTC.
        let times: [String: [String: String]]
        /// Texts by language and seconds.
        let ages: [String: [String: String]]
    }

    private static func examples() throws -> Examples {
        let file = URL(filePath: #filePath).appending(path: "../../Fixtures/cldr.json").standardized
        return try JSONDecoder().decode(Examples.self, from: Data(contentsOf: file))
    }

    @Test
    func `whole numbers have the plural categories of CLDR in all its languages`() throws {
        let examples = try Self.examples()
        let categories: [PluralCategory] = [.zero, .one, .two, .few, .many, .other]
        #expect(examples.plurals.count > 200)
        for (language, digits) in examples.plurals {
            let rule = PluralRule(language)
            let expected = digits.compactMap { $0.wholeNumberValue }.map { categories[$0] }
            #expect(examples.numbers.map { rule.category(of: $0) } == expected, "\(language)")
        }
    }

    @Test
    func `times and ages are written as babel writes them`() throws {
        let examples = try Self.examples()
        #expect(Set(examples.times.keys) == Set(LocaleChoice.shipped))
        for locale in LocaleChoice.shipped {
            let writer = TimeWriter(locale)
            for (milliseconds, text) in try #require(examples.times[locale]) {
                #expect(writer.text(try #require(Int64(milliseconds)), in: nil) == "\(text) UTC", "\(locale)")
            }
            for (seconds, text) in try #require(examples.ages[locale]) {
                let age = try #require(Int64(seconds))
                #expect(writer.text(0, in: nil, asOf: age * 1000).hasSuffix("UTC · \(text)"), "\(locale)")
            }
        }
    }

    @Test
    func `a time is written in its zone, with the distance of that day`() {
        let german = TimeWriter("de")
        #expect(german.text(1_795_206_665_999, in: "Europe/Rome") == "20. Nov. 2026, 21:31 UTC+1")
        #expect(german.text(1_780_000_000_000, in: "Europe/Rome") == "28. Mai 2026, 22:26 UTC+2")
        #expect(german.text(1_795_206_665_999, in: "America/St_Johns") == "20. Nov. 2026, 17:01 UTC-3:30")
        #expect(german.text(1_795_206_665_999, in: "Asia/Kathmandu") == "21. Nov. 2026, 02:16 UTC+5:45")
        #expect(german.text(1_795_206_665_999, in: "Europe/London") == "20. Nov. 2026, 20:31 UTC")
        #expect(TimeWriter("ar").text(1_795_206_665_999, in: "Africa/Cairo") == "20 نوفمبر 2026، 10:31 م UTC+2")
    }

    @Test
    func `less than a minute counts as a minute, and the future has no age`() {
        let english = TimeWriter("en")
        func age(_ milliseconds: Int64) -> Substring? {
            let parts = english.text(1000, in: nil, asOf: milliseconds).split(separator: " · ")
            return parts.count == 2 ? parts[1] : nil
        }
        #expect(age(1000) == "1 minute ago")
        #expect(age(1000 + 119_999) == "1 minute ago")
        #expect(age(1000 + 3_599_999) == "59 minutes ago")
        #expect(age(1000 + 3_600_000) == "1 hour ago")
        #expect(age(1000 + 86_399_999) == "23 hours ago")
        #expect(age(1000 + 86_400_000) == "1 day ago")
        #expect(age(999) == nil)
        #expect(english.text(.min, in: nil, asOf: .max).hasSuffix("UTC"))
    }

    @Test
    func `a language of the operator's own has times that every reader understands`() {
        #expect(TimeWriter("xx").text(1_795_206_665_999, in: "Europe/Rome", asOf: .max) == "2026-11-20 21:31 UTC+1")
    }
}
