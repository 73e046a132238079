import Accounts
import Mail
import Testing

@Suite("Plural rules")
struct PluralRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let locale: String
        let numbers: [PluralCategory: [Int]]
        var testDescription: String { locale }
    }

    /// Numbers of each category, from CLDR 48, supplemental/plurals.xml.
    @Test(arguments: [
        Case(locale: "en", numbers: [.one: [1], .other: [0, 2, 15, 1_000_000]]),
        Case(locale: "de", numbers: [.one: [1], .other: [0, 2, 15, 1_000_000]]),
        Case(locale: "nl", numbers: [.one: [1], .other: [0, 2]]),
        Case(locale: "it", numbers: [.one: [1], .many: [1_000_000, 3_000_000], .other: [0, 2, 21, 1_500_000]]),
        Case(locale: "es", numbers: [.one: [1], .many: [1_000_000, 3_000_000], .other: [0, 2, 21, 1_500_000]]),
        Case(locale: "fr", numbers: [.one: [0, 1], .many: [1_000_000, 3_000_000], .other: [2, 21, 1_500_000]]),
        Case(locale: "pt-BR", numbers: [.one: [0, 1], .many: [1_000_000], .other: [2, 15, 21]]),
        Case(locale: "pt-PT", numbers: [.one: [1], .many: [1_000_000], .other: [0, 2, 15, 21]]),
        Case(locale: "PT", numbers: [.one: [0, 1], .other: [2]]),
        Case(locale: "id", numbers: [.other: [0, 1, 2, 15, 1_000_000]]),
        Case(locale: "ja", numbers: [.other: [0, 1, 2, 15, 1_000_000]]),
        Case(locale: "hi", numbers: [.one: [0, 1], .other: [2, 1_000_000]]),
        Case(
            locale: "ru",
            numbers: [.one: [1, 21, 101], .few: [2, 4, 22, 104], .many: [0, 5, 11, 14, 20, 111, 112]]
        ),
        Case(locale: "pl", numbers: [.one: [1], .few: [2, 4, 22, 104], .many: [0, 5, 11, 14, 21, 101, 112]]),
        Case(locale: "hr", numbers: [.one: [1, 21, 101], .few: [2, 4, 22], .other: [0, 5, 11, 14, 112]]),
        Case(locale: "cs", numbers: [.one: [1], .few: [2, 3, 4], .other: [0, 5, 22, 102]]),
        Case(locale: "sl", numbers: [.one: [1, 101], .two: [2, 102], .few: [3, 4, 103], .other: [0, 5, 11, 100]]),
        Case(locale: "is", numbers: [.one: [1, 21, 101], .other: [0, 2, 11, 111]]),
        Case(locale: "lt", numbers: [.one: [1, 21, 101], .few: [2, 9, 22, 102], .other: [0, 10, 11, 19, 20, 112]]),
        Case(locale: "lv", numbers: [.zero: [0, 10, 11, 19, 20, 111], .one: [1, 21, 101], .other: [2, 9, 22, 102]]),
        Case(locale: "ro", numbers: [.one: [1], .few: [0, 2, 19, 101, 119], .other: [20, 35, 100, 120]]),
        Case(locale: "he", numbers: [.one: [1], .two: [2], .other: [0, 3, 20, 100]]),
        Case(
            locale: "ar",
            numbers: [
                .zero: [0], .one: [1], .two: [2], .few: [3, 10, 103], .many: [11, 99, 111],
                .other: [100, 102, 200, 1000],
            ]
        ),
        Case(
            locale: "mt",
            numbers: [.one: [1], .two: [2], .few: [0, 3, 10, 103], .many: [11, 19, 111], .other: [20, 35, 100, 102]]
        ),
        Case(locale: "ga", numbers: [.one: [1], .two: [2], .few: [3, 6], .many: [7, 10], .other: [0, 11, 25, 100]]),
        Case(
            locale: "gd",
            numbers: [.one: [1, 11], .two: [2, 12], .few: [3, 10, 13, 19], .other: [0, 20, 21, 100]]
        ),
        Case(
            locale: "cy",
            numbers: [.zero: [0], .one: [1], .two: [2], .few: [3], .many: [6], .other: [4, 5, 7, 20, 100]]
        ),
    ])
    func `a number has the category that CLDR gives it`(_ expected: Case) {
        let rule = PluralRule(expected.locale)
        for (category, numbers) in expected.numbers {
            for number in numbers { #expect(rule.category(of: number) == category, "\(number)") }
        }
    }

    @Test(arguments: [
        ("en", "1", "within 1 minute."), ("en", "15", "within 15 minutes."), ("de", "1", "innerhalb von 1 Minute."),
        ("de", "15", "innerhalb von 15 Minuten."), ("it", "1", "entro 1 minuto."), ("es", "1", "durante 1 minuto."),
        ("fr", "1", "pendant 1 minute."), ("fr", "2", "pendant 2 minutes."), ("pt-BR", "1", "por 1 minuto."),
        ("id", "1", "dalam 1 menit."), ("ja", "1", "有効期間は1分です。"),
    ])
    func `a mail chooses the form by its number`(_ locale: String, _ minutes: String, _ end: String) throws {
        let templates = try EmailTemplates.builtIn
        let payload = MailPayload.example(.signIn, locale: locale, values: [.minutes: minutes])
        let mail = try templates.render(payload, appName: "Notes")
        let text = mail.text.split(separator: "\n").joined(separator: locale == "ja" ? "" : " ")
        #expect(text.contains(end))
        #expect(mail.html.contains(end))
    }

    @Test
    func `a missing form and a value that is no number take the form for other`() throws {
        try withOperatorFolder([
            "strings/en.json": "{\"mailLinkDays\": {\"other\": \"{{days}} of them\", \"zero\": \"never\"}}"
        ]) { path in
            let templates = try EmailTemplates(TemplateLibrary(overriding: path))
            for days in ["1", "0", "many", "99999999999999999999"] {
                let payload = MailPayload.example(.emailChanged, values: [.days: days])
                #expect(try templates.render(payload, appName: "Notes").text.contains("\(days) of them"))
            }
        }
    }
}
