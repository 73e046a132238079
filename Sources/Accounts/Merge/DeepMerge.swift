internal import JSON

/// Combines two JSON values (policy `deepMerge`).
///
/// Two objects become one with the members of both, in the order of the first, followed by the members that only the
/// second has. Members that both have are combined recursively. Any other value, including an array, is taken from the
/// winner as a whole.
enum DeepMerge {
    /// Combines two values.
    ///
    /// - Parameters:
    ///   - existing: the permanent user's value, whose member order comes first.
    ///   - anonymous: the guest's value.
    ///   - winner: the side whose value is taken if the two are not both objects.
    static func merge(_ existing: JSONValue, _ anonymous: JSONValue, winner: MergeSide) -> JSONValue {
        guard case .object(let old) = existing, case .object(let new) = anonymous else {
            return winner == .existing ? existing : anonymous
        }
        // Compared by bytes, as JSON compares names; a look-up in the object itself walks all members.
        var places: [[UInt8]: Int] = [:]
        places.reserveCapacity(new.count)
        for (index, member) in new.members.enumerated() { places[Array(member.name.utf8)] = index }
        var isTaken = [Bool](repeating: false, count: new.count)
        var merged = JSONObject()
        for member in old.members {
            guard let index = places[Array(member.name.utf8)] else {
                merged.append(member.name, member.value)
                continue
            }
            isTaken[index] = true
            merged.append(member.name, merge(member.value, new.members[index].value, winner: winner))
        }
        for (index, member) in new.members.enumerated() where !isTaken[index] {
            merged.append(member.name, member.value)
        }
        return .object(merged)
    }

    /// Combines the JSON texts of two documents.
    ///
    /// - Throws: `JSONError` if a stored document is damaged.
    static func merge(_ existing: String, _ anonymous: String, winner: MergeSide) throws -> String {
        let depth = JSONValue.deepestNesting
        let merged = merge(
            try JSONValue.parse(existing, maximumDepth: depth),
            try JSONValue.parse(anonymous, maximumDepth: depth),
            winner: winner
        )
        return String(decoding: merged.serialized(), as: UTF8.self)
    }
}
