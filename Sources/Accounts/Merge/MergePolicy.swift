/// The user from whom a merge takes something.
package enum MergeSide: String, Sendable, CaseIterable {
    /// The permanent user, who stays.
    case existing
    /// The guest, who is deleted.
    case anonymous
}

/// How a merge resolves a conflict between two documents of the same name.
package enum DocumentMergePolicy: Sendable, Equatable {
    /// Keeps the permanent user's document and deletes the guest's.
    case keepExisting
    /// Keeps the guest's document and deletes the permanent user's.
    case keepAnonymous
    /// Keeps both; the guest's document gets a new name.
    case keepBoth
    /// Combines both documents into one, member by member and at all depths; of values that are not both objects, the
    /// winner's is kept.
    case deepMerge(winner: MergeSide)
    /// Keeps the document that was written last; at the same moment, the permanent user's.
    case newest

    /// The policy's name in the configuration and in reports.
    package var name: Name {
        switch self {
        case .keepExisting: .keepExisting
        case .keepAnonymous: .keepAnonymous
        case .keepBoth: .keepBoth
        case .deepMerge: .deepMerge
        case .newest: .newest
        }
    }

    /// The names of the policies.
    package enum Name: String, Sendable, CaseIterable {
        case keepExisting, keepAnonymous, keepBoth, deepMerge, newest
    }

    /// Makes the policy with a name; `winner` only matters for `deepMerge`.
    package init(_ name: Name, winner: MergeSide) {
        switch name {
        case .keepExisting: self = .keepExisting
        case .keepAnonymous: self = .keepAnonymous
        case .keepBoth: self = .keepBoth
        case .deepMerge: self = .deepMerge(winner: winner)
        case .newest: self = .newest
        }
    }
}

/// How documents are merged, by collection.
package struct DocumentMergePolicies: Sendable, Equatable {
    /// The policy for collections that ``collections`` does not name.
    package var standard: DocumentMergePolicy = .keepExisting
    package var collections: [String: DocumentMergePolicy] = [:]

    /// Makes the default policies, which keep everything that the permanent user has.
    package init() {}

    /// The policy of a collection.
    package subscript(_ collection: String) -> DocumentMergePolicy {
        collections[collection] ?? standard
    }
}
