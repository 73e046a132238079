import Foundation
import Mail
import Testing

@Suite("Times in e-mails")
struct MailTimeTests {
    @Test(arguments: [
        (0 as Int64, "Thu, 1 Jan 1970 00:00:00 +0000", "1970-01-01 00:00 UTC"),
        (1_795_206_665_999, "Fri, 20 Nov 2026 20:31:05 +0000", "2026-11-20 20:31 UTC"),
        (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000", "2000-02-29 00:00 UTC"),
        (4_107_542_399_000, "Sun, 28 Feb 2100 23:59:59 +0000", "2100-02-28 23:59 UTC"),
        (-1, "Wed, 31 Dec 1969 23:59:59 +0000", "1969-12-31 23:59 UTC"),
    ])
    func `a moment as header and as text`(_ milliseconds: Int64, _ header: String, _ text: String) {
        #expect(MailTime(milliseconds: milliseconds).header == header)
        #expect(MailTime(milliseconds: milliseconds).text == text)
    }

    @Test
    func `every day of two centuries agrees with Foundation`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: 0, to: 73_000, by: 13) {
            let seconds = Int64(day) * 86_400 + 3_723
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let expected = String(
                format: "%d-%02d-%02d 01:02 UTC",
                parts.year ?? 0,
                parts.month ?? 0,
                parts.day ?? 0
            )
            #expect(MailTime(milliseconds: seconds * 1000).text == expected)
        }
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `an absurd moment does not trap`(_ milliseconds: Int64) {
        #expect(!MailTime(milliseconds: milliseconds).header.isEmpty)
    }
}
