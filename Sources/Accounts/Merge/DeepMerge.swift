internal import JSON

/// Puts two JSON values together (policy `deepMerge`).
///
/// Two objects become one with the members of both, in the order of the first, then those that only the second has; members
/// that both have are put together in turn. Anything else, arrays too, is the winner's whole.
enum DeepMerge {
    /// The value that two become.
    ///
    /// - Parameters:
    ///   - existing: the permanent user's, whose order of members leads.
    ///   - anonymous: the guest's.
    ///   - winner: whose value counts where both have one that is no object.
    static func merge(_ existing: JSONValue, _ anonymous: JSONValue, winner: MergeSide) -> JSONValue {
        guard case .object(let old) = existing, case .object(let new) = anonymous else {
            return winner == .existing ? existing : anonymous
        }
        // By bytes, as JSON compares names; a look-up in the object itself walks all members.
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

    /// The text that two documents become.
    ///
    /// - Throws: `JSONError` where a stored document is damaged.
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
