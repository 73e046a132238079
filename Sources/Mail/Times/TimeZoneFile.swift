/// A time zone as a file describes it (RFC 8536, "The Time Zone Information Format").
struct TimeZoneFile: Sendable {
    /// The times from which another distance from UTC holds, in seconds since 1970, ascending.
    private let transitions: [Int64]
    /// The distance after each transition, in seconds.
    private let offsets: [Int64]
    /// The distance before the first transition.
    private let first: Int64
    /// The rule for times after the last transition; `nil` if there is none.
    private let rule: TimeZoneRule?

    /// Reads a file of version 2 or later, which has its times in 64 bits.
    ///
    /// - Returns: `nil` if the bytes are not such a file.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes[...])
        // The first block has the times in 32 bits, for old readers.
        guard let old = reader.header(), old.version >= UInt8(ascii: "2"), reader.skip(old.size(ofTime: 4)),
            let header = reader.header(), header.types > 0, header.size(ofTime: 8) <= reader.bytes.count
        else { return nil }
        var transitions: [Int64] = [], indices: [Int] = [], types: [Int64] = []
        for _ in 0..<header.transitions { transitions.append(reader.integer(of: 8)) }
        for _ in 0..<header.transitions { indices.append(Int(reader.integer(of: 1) & 0xFF)) }
        for _ in 0..<header.types {
            types.append(reader.integer(of: 4))
            guard reader.skip(2) else { return nil }
        }
        // Names, leap seconds, and the marks of times in standard time and in UTC.
        guard reader.skip(header.names + header.leaps * 12 + header.standard + header.universal),
            indices.allSatisfy({ $0 < types.count }), types.allSatisfy({ abs($0) <= 26 * 3600 }),
            zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 }),
            reader.bytes.first == UInt8(ascii: "\n"), reader.bytes.last == UInt8(ascii: "\n"), reader.bytes.count >= 2
        else { return nil }
        let footer = String(decoding: reader.bytes.dropFirst().dropLast(), as: UTF8.self)
        rule = TimeZoneRule(footer)
        guard rule != nil || footer.isEmpty else { return nil }
        self.transitions = transitions
        offsets = indices.map { types[$0] }
        first = types[0]
    }

    /// Returns the seconds by which local clocks are ahead of UTC.
    ///
    /// - Parameter seconds: the time, in seconds since 1970.
    func offset(at seconds: Int64) -> Int64 {
        // The number of transitions that are not after the time.
        var low = 0, high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rule { return rule.offset(at: seconds) }
        return low == 0 ? first : offsets[low - 1]
    }
}

/// Reads the numbers of a file in network byte order.
private struct Reader {
    struct Header {
        let version: UInt8
        let universal: Int, standard: Int, leaps: Int, transitions: Int, types: Int, names: Int

        func size(ofTime size: Int) -> Int {
            transitions * (size + 1) + types * 6 + names + leaps * (size + 4) + standard + universal
        }
    }

    var bytes: ArraySlice<UInt8>

    /// The header at the start of a block; `nil` if there is none, or a count in it is absurd.
    mutating func header() -> Header? {
        guard bytes.count >= 44, bytes.starts(with: Array("TZif".utf8)), let version = bytes.dropFirst(4).first else {
            return nil
        }
        _ = skip(20)
        let counts = (0..<6).map { _ in Int(integer(of: 4)) }
        guard counts.allSatisfy({ (0...10_000).contains($0) }) else { return nil }
        return Header(
            version: version,
            universal: counts[0],
            standard: counts[1],
            leaps: counts[2],
            transitions: counts[3],
            types: counts[4],
            names: counts[5]
        )
    }

    /// Skips bytes; false if there are not so many.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count else { return false }
        bytes = bytes.dropFirst(count)
        return true
    }

    /// Reads a number with a sign; missing bytes are ignored, so the caller checks their number before.
    mutating func integer(of size: Int) -> Int64 {
        let value = bytes.prefix(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(size)
        let shift = UInt64(64 - 8 * size)
        return Int64(bitPattern: value << shift) >> Int64(shift)
    }
}
