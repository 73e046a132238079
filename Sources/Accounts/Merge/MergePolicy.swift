/// Which of two users a merge takes something from.
package enum MergeSide: String, Sendable, CaseIterable {
    /// The permanent user, who stays.
    case existing
    /// The guest, who goes.
    case anonymous
}

/// How a merge settles two documents of one name.
package enum DocumentMergePolicy: Sendable, Equatable {
    /// The permanent user's stays, the guest's goes.
    case keepExisting
    /// The guest's takes the place of the other.
    case keepAnonymous
    /// Both stay; the guest's gets a new name.
    case keepBoth
    /// Objects are put together member by member; whatever else both have is the winner's.
    case deepMerge(winner: MergeSide)
    /// The one that was written last stays; at the same moment, the permanent user's.
    case newest

    /// Its name in the configuration and in reports.
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

    /// The policy of a name; `winner` counts for `deepMerge` only.
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
    /// For the collections that are not named.
    package var standard: DocumentMergePolicy = .keepExisting
    package var collections: [String: DocumentMergePolicy] = [:]

    /// The defaults: nothing that the permanent user has is touched.
    package init() {}

    /// The policy of a collection.
    package subscript(_ collection: String) -> DocumentMergePolicy {
        collections[collection] ?? standard
    }
}
