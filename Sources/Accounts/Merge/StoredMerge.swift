/// The state of a merge.
package enum MergeState: String, Sendable {
    /// The hooks are being asked; the guest is suspended.
    case preparing
    case committed
    case cancelled
}

/// A merge as the database keeps it, so that a repeated call gets the same report.
package struct StoredMerge: Sendable, Equatable {
    /// The merge's id, drawn by the server: 16 bytes as base64url, a time and 80 random bits.
    package var id: String
    /// The UID of the guest who is merged away.
    package var uid: String
    /// The UID of the user who receives the guest's data.
    package var targetUID: String
    package var state: MergeState
    /// The ``MergeReport`` in JSON; `nil` unless the merge is committed.
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

/// Two documents of one collection and name: the guest's and the permanent user's.
package struct DocumentConflict: Sendable, Equatable {
    package let collection: String
    /// The documents' id in the collection.
    package let name: String
    /// The number of the row of the guest's document.
    package let guestRow: Int64
    /// The number of the row of the permanent user's document.
    package let targetRow: Int64
    /// When the guest's document was last written, in milliseconds since 1970.
    package let guestUpdatedAt: Int64
    /// When the permanent user's document was last written, in milliseconds since 1970.
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
