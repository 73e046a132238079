import Mail
import Testing

@Suite("Choice of a language")
struct LocaleChoiceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var header: String?
        var accept: String?
        let expected: String
        var testDescription: String { "\(header ?? "–") / \(accept ?? "–")" }
    }

    @Test(arguments: [
        Case(expected: "en"),
        Case(header: "de", expected: "de"),
        Case(header: "de", accept: "fr", expected: "de"),
        Case(header: "DE-at", expected: "de"),
        Case(header: "pt_BR", expected: "pt-BR"),
        Case(header: "pt", expected: "pt-BR"),
        Case(header: "pt-PT", expected: "pt-BR"),
        Case(header: "xh", accept: "it", expected: "it"),
        Case(header: "zh", accept: "it", expected: "zh-CN"),
        Case(header: "zh-Hans", expected: "zh-CN"),
        Case(header: "zh-Hant", expected: "zh-TW"),
        Case(header: "zh-HK", expected: "zh-TW"),
        Case(header: "zh-MO", expected: "zh-TW"),
        Case(header: "zh_Hans_HK", expected: "zh-CN"),
        Case(header: "zh-SG", expected: "zh-CN"),
        Case(header: "zh-TW", expected: "zh-TW"),
        Case(header: "iw-IL", expected: "he"),
        Case(header: "in", expected: "id"),
        Case(header: "", accept: "it", expected: "it"),
        Case(header: " fr ", expected: "fr"),
        Case(accept: "xh", expected: "en"),
        Case(accept: "zh-Hant-TW", expected: "zh-TW"),
        Case(accept: "ar-EG, en;q=0.5", expected: "ar"),
        Case(accept: "nl-BE", expected: "nl"),
        Case(accept: "en-GB", expected: "en"),
        Case(accept: "ja-JP-u-ca-japanese", expected: "ja"),
        Case(accept: "de-x-whatever", expected: "de"),
        Case(accept: "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", expected: "fr"),
        Case(accept: "xh, es;q=0.5, it;q=0.6", expected: "it"),
        Case(accept: "es;q=0.5, it;q=0.5", expected: "es"),
        Case(accept: "es;q=0, it;q=0.001", expected: "it"),
        Case(accept: "es;q=2, it;q=0.1", expected: "it"),
        Case(accept: "es;q=0.1234, it;q=0.1", expected: "it"),
        Case(accept: "es;q=abc, it;q=0.1", expected: "it"),
        Case(accept: "es ; Q=0.3 , it ; q=0.4", expected: "it"),
        Case(accept: "*", expected: "en"),
        Case(accept: "*, id", expected: "id"),
        Case(accept: ",,;;,-,_,q=1,;q=1", expected: "en"),
        Case(header: String(repeating: "de-", count: 100_000), expected: "en"),
        Case(accept: String(repeating: "xh,", count: 100_000) + "de", expected: "en"),
    ])
    func `header, then wishes, then default`(_ it: Case) {
        let chosen = LocaleChoice.choose(
            from: LocaleChoice.shipped,
            default: "en",
            header: it.header,
            acceptLanguage: it.accept
        )
        #expect(chosen == it.expected)
    }

    @Test
    func `texts in the traditional script go before those of a region, and an operator's own before both`() {
        func choose(_ range: String, _ available: [String]) -> String {
            LocaleChoice.choose(from: available, default: "en", header: range, acceptLanguage: nil)
        }
        #expect(choose("zh-Hant-HK", ["zh-CN", "zh-HK", "zh-TW"]) == "zh-TW")
        #expect(choose("zh-HK", ["zh-CN", "zh-HK", "zh-TW"]) == "zh-HK")
        #expect(choose("zh-Hant", ["zh-CN", "zh-Hant", "zh-TW"]) == "zh-Hant")
        #expect(choose("zh-HK", ["en", "zh-CN"]) == "zh-CN")
    }

    @Test(arguments: [("en", "ltr"), ("pt-BR", "ltr"), ("ar", "rtl"), ("he-IL", "rtl"), ("ja", "ltr")])
    func `a language has a direction`(_ locale: String, _ direction: String) {
        #expect(LocaleChoice.direction(locale) == direction)
    }
}
