internal import Accounts

extension Configuration {
    /// Reads the merge policies of documents: `merge.documents.default` and `merge.documents.winner` for all
    /// collections, and `merge.documents.collections` for those that differ.
    static func documentMerges(_ settings: inout Settings) -> DocumentMergePolicies {
        let key = "merge.documents"
        var policies = DocumentMergePolicies()
        let winner = settings.choice("\(key).winner", default: MergeSide.existing)
        policies.standard = DocumentMergePolicy(
            settings.choice("\(key).default", default: DocumentMergePolicy.Name.keepExisting),
            winner: winner
        )
        // `notes.policy`, `notes.winner`; a collection's name may contain dots itself.
        for (path, value) in settings.members(of: "\(key).collections", like: #"{"notes": {policy: "keepBoth"}}"#) {
            let member = "\(key).collections.\(path)"
            guard let dot = path.lastIndex(of: "."), dot > path.startIndex, case .string = value,
                ["policy", "winner"].contains(path[path.index(after: dot)...])
            else {
                settings.refuse(member, "a collection takes policy and winner, and nothing else")
                continue
            }
            let collection = String(path[..<dot])
            guard (try? DocumentName.check(collection)) != nil else {
                settings.refuse(member, "a collection's name has letters, digits, _, - and . only")
                continue
            }
            let name = settings.choice("\(key).collections.\(collection).policy", default: policies.standard.name)
            let own = settings.choice("\(key).collections.\(collection).winner", default: winner)
            if path.hasSuffix(".winner"), name != .deepMerge {
                settings.refuse(member, "only deepMerge has a winner")
            }
            policies.collections[collection] = DocumentMergePolicy(name, winner: own)
        }
        return policies
    }
}
