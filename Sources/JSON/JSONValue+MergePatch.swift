extension JSONValue {
    /// Returns the value after a JSON merge patch (RFC 7396, section 2), in linear time.
    ///
    /// Members that stay keep their place, and new ones follow in the patch's order.
    ///
    /// - Parameter patch: the change. If it is an object, each of its members changes the member of that name in the
    ///   same way, adds it, or (as `null`) removes it. Any other value replaces this one.
    public func merging(patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        return .object((object ?? JSONObject()).merging(patch: changes))
    }
}

extension JSONObject {
    /// Returns the object after a JSON merge patch; see ``JSONValue/merging(patch:)``.
    public func merging(patch: JSONObject) -> JSONObject {
        let places = NamePlaces(patch.members)
        var isUsed = [Bool](repeating: false, count: patch.count)
        var merged: [(name: String, value: JSONValue)] = []
        merged.reserveCapacity(count + patch.count)
        for member in members {
            guard let place = places[member.name] else {
                merged.append(member)
                continue
            }
            isUsed[place] = true
            let change = patch.members[place].value
            if !change.isNull { merged.append((member.name, member.value.merging(patch: change))) }
        }
        for (member, isUsed) in zip(patch.members, isUsed) where !isUsed && !member.value.isNull {
            merged.append((member.name, JSONValue.null.merging(patch: member.value)))
        }
        return JSONObject(uniqueMembers: merged)
    }
}
