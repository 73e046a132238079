/// Where a merge stands.
package enum MergeState: String, Sendable {
    /// The hooks are being asked; the guest is held.
    case preparing
    case committed
    case cancelled
}

/// A merge as the store keeps it, for as long as the call may be repeated.
package struct StoredMerge: Sendable, Equatable {
    /// 16 random bytes as base64url.
    package var id: String
    /// The guest who is merged away.
    package var uid: String
    /// Who gets what the guest had.
    package var targetUID: String
    package var state: MergeState
    /// The report in JSON, once it is committed.
    package var report: String?

    /// Makes a merge from its stored parts.
    package init(id: String, uid: String, targetUID: String, state: MergeState, report: String?) {
        self.id = id
        self.uid = uid
        self.targetUID = targetUID
        self.state = state
        self.report = report
    }
}

/// Two documents of one name, the guest's and the permanent user's, by the numbers of their rows.
package struct DocumentConflict: Sendable, Equatable {
    package let collection: String
    package let name: String
    package let guestRow: Int64
    package let targetRow: Int64
    /// Milliseconds since 1970.
    package let guestUpdatedAt: Int64
    /// Milliseconds since 1970.
    package let targetUpdatedAt: Int64

    /// Makes a conflict from its parts.
    package init(
        collection: String,
        name: String,
        guestRow: Int64,
        targetRow: Int64,
        guestUpdatedAt: Int64,
        targetUpdatedAt: Int64
    ) {
        self.collection = collection
        self.name = name
        self.guestRow = guestRow
        self.targetRow = targetRow
        self.guestUpdatedAt = guestUpdatedAt
        self.targetUpdatedAt = targetUpdatedAt
    }
}
