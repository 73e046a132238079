/// Finds the second member of one name: by comparing while an object is small, by hashing from then on.
struct UniqueNames {
    private static let threshold = 12
    private var hashed: Set<NameBytes> = []

    /// Notes the name of the member that follows `members`; false if one of them has it already.
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

/// A name that is compared and hashed by its bytes.
///
/// `String` hashes its normal form, so that names which differ only in the order of combining marks would all collide,
/// as many as an attacker likes. Swift's hasher is seeded per process, so bytes that collide cannot be prepared.
private struct NameBytes: Hashable {
    let name: String

    static func == (left: NameBytes, right: NameBytes) -> Bool {
        left.name.hasSameBytes(as: right.name)
    }

    func hash(into hasher: inout Hasher) {
        // Eight bytes at a time: feeding single bytes is several times slower.
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
