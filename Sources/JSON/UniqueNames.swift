/// Detects repeated member names: by comparing while an object is small, by hashing when it is larger.
struct UniqueNames {
    private static let threshold = 12
    private var hashed: Set<NameBytes> = []

    /// Records the name of the member that follows `members`.
    ///
    /// - Returns: `false` if one of `members` has the name already.
    mutating func insert(_ name: String, beside members: [(name: String, value: JSONValue)]) -> Bool {
        if members.count < Self.threshold {
            return !members.contains { $0.name.hasSameBytes(as: name) }
        }
        if hashed.isEmpty {
            for member in members {
                hashed.insert(NameBytes(name: member.name))
            }
        }
        return hashed.insert(NameBytes(name: name)).inserted
    }
}

/// The positions of members by name: found by comparing while they are few, otherwise by hashing.
struct NamePlaces {
    private static let threshold = 12
    private let members: [(name: String, value: JSONValue)]
    private let hashed: [NameBytes: Int]?

    /// Indexes members, whose names must differ.
    init(_ members: [(name: String, value: JSONValue)]) {
        self.members = members
        guard members.count > Self.threshold else {
            hashed = nil
            return
        }
        var hashed: [NameBytes: Int] = [:]
        hashed.reserveCapacity(members.count)
        for (place, member) in members.enumerated() { hashed[NameBytes(name: member.name)] = place }
        self.hashed = hashed
    }

    /// The position of the member of that name; `nil` if there is none.
    subscript(_ name: String) -> Int? {
        if let hashed { return hashed[NameBytes(name: name)] }
        return members.firstIndex { $0.name.hasSameBytes(as: name) }
    }
}

/// A name that is compared and hashed by its bytes.
///
/// `String` hashes its normal form, so that names that differ only in the order of combining marks would all collide,
/// as many as an attacker likes. Swift's hasher is seeded per process, so an attacker cannot prepare bytes that
/// collide.
struct NameBytes: Hashable {
    let name: String

    static func == (left: NameBytes, right: NameBytes) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }

    func hash(into hasher: inout Hasher) {
        // Eight bytes at a time, because hashing single bytes is several times slower.
        var word: UInt64 = 0
        var filled = 0
        for byte in name.utf8 {
            word = word << 8 | UInt64(byte)
            filled += 1
            if filled % 8 == 0 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(filled)
    }
}
