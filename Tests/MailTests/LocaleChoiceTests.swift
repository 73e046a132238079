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
        Case(header: "zh", accept: "it", expected: "it"),
        Case(header: "", accept: "it", expected: "it"),
        Case(header: " fr ", expected: "fr"),
        Case(accept: "zh", expected: "en"),
        Case(accept: "zh-Hant-TW", expected: "en"),
        Case(accept: "en-GB", expected: "en"),
        Case(accept: "ja-JP-u-ca-japanese", expected: "ja"),
        Case(accept: "de-x-whatever", expected: "de"),
        Case(accept: "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", expected: "fr"),
        Case(accept: "zh, es;q=0.5, it;q=0.6", expected: "it"),
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
        Case(accept: String(repeating: "zh,", count: 100_000) + "de", expected: "en"),
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

    @Test(arguments: [("en", "ltr"), ("pt-BR", "ltr"), ("ar", "rtl"), ("he-IL", "rtl"), ("ja", "ltr")])
    func `a language has a direction`(_ locale: String, _ direction: String) {
        #expect(LocaleChoice.direction(locale) == direction)
    }
}
