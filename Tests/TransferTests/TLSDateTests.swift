import Testing
import Transfer

@Suite("Dates of certificates") struct TLSDateTests {
    @Test(
        arguments: [
            ("Jan  1 00:00:00 1970 GMT", 0), ("Feb 29 12:30:15 2024 GMT", 1_709_209_815_000),
            ("Nov 24 22:47:29 2026 GMT", 1_795_560_449_000), ("Dec 31 23:59:59 9999 GMT", 253_402_300_799_000),
        ] as [(String, Int64)]
    )
    func `a date is read`(text: String, milliseconds: Int64) {
        #expect(TLSDate.moment(text) == milliseconds)
    }

    @Test(arguments: [
        "", "Nov 24 2026", "Foo 24 22:47:29 2026 GMT", "Nov 24 22:47 2026 GMT", "Nov 99 22:47:29 2026 GMT",
    ])
    func `another text is none`(text: String) {
        #expect(TLSDate.moment(text) == nil)
    }
}
