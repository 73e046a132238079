internal import Crypto
internal import Tokens

extension AccountFlows {
    /// The number of moved documents above which a merge records no changes, so that change streams list all documents
    /// again.
    private static let mostNotedChanges = 1000

    /// Moves a guest's documents, resolving each conflict by the policy of its collection.
    ///
    /// Conflicts are resolved first, one by one, until no name is taken; then all of the guest's remaining documents
    /// move at once.
    func moveDocuments(
        from guest: String,
        to target: String,
        noting report: inout MergeReport,
        in store: some AccountStore
    ) throws {
        let counts = try store.documentCounts(of: guest)
        guard !counts.isEmpty else { return }
        report.collections = counts.map { collection, count in
            let policy = policy.documentMerges[collection].name
            return MergeReport.Collection(name: collection, policy: policy, moved: count, conflicts: 0)
        }
        var dropped = Dropped()
        var index = 0
        for conflict in try store.documentConflicts(of: guest, with: target) {
            // Both are ordered by collection.
            while report.collections[index].name != conflict.collection { index += 1 }
            report.collections[index].moved -= 1
            report.collections[index].conflicts += 1
            let resolved = try resolve(conflict, between: [guest, target], dropping: &dropped, in: store)
            if report.conflicts.count < MergeReport.longestList { report.conflicts.append(resolved) }
        }
        try store.deleteDocuments(rows: dropped.ofGuest, of: guest)
        try store.deleteDocuments(rows: dropped.ofTarget, of: target)
        try store.moveDocuments(from: guest, to: target, noting: Self.mostNotedChanges)
    }

    /// The numbers of the rows of documents that are deleted because another document of the same name stays.
    private struct Dropped {
        var ofGuest: [Int64] = []
        var ofTarget: [Int64] = []
    }

    private func resolve(
        _ conflict: DocumentConflict,
        between uids: [String],
        dropping dropped: inout Dropped,
        in store: some AccountStore
    ) throws -> MergeReport.Conflict {
        var resolved = MergeReport.Conflict(collection: conflict.collection, id: conflict.name, outcome: .keptExisting)
        switch policy.documentMerges[conflict.collection] {
        case .keepExisting:
            dropped.ofGuest.append(conflict.guestRow)
        case .newest where conflict.guestUpdatedAt <= conflict.targetUpdatedAt:
            dropped.ofGuest.append(conflict.guestRow)
        case .keepAnonymous, .newest:
            resolved.outcome = .keptAnonymous
            dropped.ofTarget.append(conflict.targetRow)
        case .keepBoth:
            resolved.outcome = .keptBoth
            let name = try freeName(for: conflict, of: uids, in: store)
            try store.renameDocument(row: conflict.guestRow, to: name)
            resolved.newID = name
        case .deepMerge(let winner):
            resolved.outcome = .merged
            let existing = try store.documentContent(row: conflict.targetRow)
            let anonymous = try store.documentContent(row: conflict.guestRow)
            let merged = try DeepMerge.merge(existing, anonymous, winner: winner)
            if merged == existing {
                // The guest's document adds nothing, so there is no change to report.
                dropped.ofGuest.append(conflict.guestRow)
            } else {
                try store.setDocumentContent(row: conflict.guestRow, to: merged)
                dropped.ofTarget.append(conflict.targetRow)
            }
        }
        return resolved
    }

    /// Returns a name that no document of either user has in the conflict's collection: the old name, cut to 121
    /// characters, a hyphen and six letters and digits.
    ///
    /// The characters are unpredictable, but they are the same whenever the same documents meet, so that a dry run
    /// shows what the merge will do.
    private func freeName(
        for conflict: DocumentConflict,
        of uids: [String],
        in store: some AccountStore
    ) throws -> String {
        let longest = 128
        let stem = conflict.name.prefix(longest - 7)
        var attempt = 0
        while true {
            let parts = uids + [conflict.collection, conflict.name, String(attempt)]
            let hash = try KeyedHash.make(parts.joined(separator: "/"), purpose: "merged-document", secrets: secrets)
            let name = "\(stem)-\(Self.sixCharacters(of: hash))"
            if try !store.hasDocument(name, in: conflict.collection, of: uids) { return name }
            attempt += 1
        }
    }

    /// Returns six letters and digits of a hash, from its end, because it begins with the number of its key.
    private static func sixCharacters(of hash: String) -> String {
        let usable = hash.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return String(decoding: usable.suffix(6), as: UTF8.self)
    }
}
