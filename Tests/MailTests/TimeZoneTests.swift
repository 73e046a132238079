import Foundation
import Testing

@testable import Mail

@Suite("Time zones")
struct TimeZoneTests {
    /// Times around the changes of some years, and beyond the last change that the files list.
    static let moments: [Int64] =
        stride(from: -2_000_000_000, to: 5_000_000_000, by: 40_000_007).map { $0 }
        + [1_774_745_999, 1_774_746_000, 1_792_889_999, 1_792_890_000, 3_000_000_000, 4_099_680_000, 4_115_318_400]

    static let zones = [
        "Europe/Rome", "Europe/Dublin", "America/New_York", "America/Argentina/Buenos_Aires", "America/St_Johns",
        "America/Sao_Paulo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Jerusalem", "Asia/Tehran", "Asia/Gaza",
        "Africa/Casablanca", "Africa/Cairo", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham",
        "Pacific/Kiritimati",
        "America/Nuuk", "Antarctica/Troll", "Etc/GMT+5", "UTC", "EST5EDT",
    ]

    @Test(arguments: zones)
    func `a zone agrees with the system's own reader`(_ name: String) throws {
        let zone = try #require(TimeZones.system[name])
        let expected = try Self.systemOffsets(name)
        #expect(expected.count == Self.moments.count)
        for (moment, offset) in zip(Self.moments, expected) { #expect(zone.offset(at: moment) == offset, "\(moment)") }
    }

    /// The distances from UTC that the C library finds, which reads the same files.
    private static func systemOffsets(_ name: String) throws -> [Int64] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/date")
        process.arguments = ["--file=-", "+%::z"]
        process.environment = ["TZ": name, "LC_ALL": "C"]
        let input = Pipe(), output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(moments.map { "@\($0)\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.dropFirst().split(separator: ":").compactMap { Int64($0) }
            let seconds = parts.reduce(0) { $0 * 60 + $1 }
            return line.hasPrefix("-") ? -seconds : seconds
        }
    }

    @Test(arguments: [
        "", "europe/rome", "Europe/Atlantis", "Europe", "Europe/", "/Europe/Rome", "Europe//Rome", "Europe/../UTC",
        "../zoneinfo/UTC", "localtime", "posix/UTC", "right/UTC", "posixrules", "tzdata.zi", "zone.tab", "Europe/Rome ",
        "Europe/Rome\u{0}", "A/B/C/D", "Étc/UTC", "UTC+1", String(repeating: "A", count: 100_000),
    ])
    func `what names no zone is unknown`(_ name: String) {
        #expect(TimeZones.system.known(name) == nil)
        #expect(TimeWriter("en").text(1_795_206_665_999, in: name) == "Nov 20, 2026, 8:31 PM UTC")
    }

    @Test
    func `a machine without zones writes all times in UTC`() {
        let zones = TimeZones(folder: "/nonexistent")
        #expect(zones.known("Europe/Rome") == nil)
        let writer = TimeWriter("de", zones: zones)
        #expect(writer.text(1_795_206_665_999, in: "Europe/Rome") == "20. Nov. 2026, 20:31 UTC")
    }

    @Test
    func `a damaged file is no zone and does not trap`() throws {
        let file = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Rome")))
        #expect(TimeZoneFile(file) != nil)
        for end in file.indices { #expect(TimeZoneFile(Array(file[..<end])) == nil) }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var damaged = file
            for _ in 0..<3 { damaged[Int.random(in: 0..<file.count, using: &generator)] = .random(in: 0...255) }
            _ = TimeZoneFile(damaged)?.offset(at: 1_795_206_665)
        }
    }

    @Test(arguments: [
        "", "C", "CET", "CET-25", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J100", "CET-1CEST,366,1", "<CET-1", "CET-1CEST,M3.5.0,M10.5.0,",
        "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST", "CET-1:60",
    ])
    func `a malformed rule is refused`(_ text: String) {
        #expect(TimeZoneRule(text) == nil)
    }

    @Test
    func `a rule counts days with and without 29 February`() throws {
        let leap = CivilTime.days(year: 2028, month: 3, day: 1) * 86_400
        // Summer from 1 March in both, by number 60 without and, in a leap year, 60 from 0.
        for text in ["AAA0BBB,J60/0,J300/0", "AAA0BBB,60/0,300/0"] {
            let rule = try #require(TimeZoneRule(text))
            #expect(rule.offset(at: leap - 1) == 0)
            #expect(rule.offset(at: leap) == 3600)
        }
    }
}
