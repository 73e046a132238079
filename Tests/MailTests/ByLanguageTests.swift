import Synchronization
import Testing

@testable import Mail

@Suite("Values by language")
struct ByLanguageTests {
    @Test func `a value is made when it is first needed, and kept`() throws {
        let made = Mutex<[String]>([])
        let values = ByLanguage(["en", "de"]) { locale throws(TemplateError) in
            made.withLock { $0.append(locale) }
            return locale.uppercased()
        }
        #expect(values.locales == ["de", "en"])
        #expect(made.withLock { $0 }.isEmpty)
        #expect(values["en"] == "EN" && values["en"] == "EN")
        #expect(made.withLock { $0 } == ["en"])
        #expect(values["fr"] == nil)
        try values.makeAll()
        #expect(made.withLock { $0 } == ["en", "de"])
    }

    @Test func `an error in one language shows when all are made, and leaves the others`() throws {
        let values = ByLanguage(["en", "de"]) { locale throws(TemplateError) in
            if locale == "de" { throw TemplateError(noTextsIn: locale) }
            return locale
        }
        #expect(throws: TemplateError(noTextsIn: "de")) { try values.makeAll() }
        #expect(values["de"] == nil)
        #expect(values["en"] == "en")
    }
}
