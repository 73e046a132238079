import Accounts
import Testing

@Suite("Times as text")
struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
        (1_796_250_665_067, "2026-12-02T22:31:05.067Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `a time is written with milliseconds`(milliseconds: Int64, text: String) {
        #expect(Timestamp.rfc3339(milliseconds: milliseconds) == text)
        #expect(Timestamp.milliseconds(text) == milliseconds / 1000 * 1000)
    }
}
