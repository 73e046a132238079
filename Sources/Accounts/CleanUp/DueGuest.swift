/// A guest whose time is over, with what decides whether it goes.
package struct DueGuest: Sendable, Equatable {
    /// The number of its row.
    package var number: Int64
    package var uid: String
    /// How many documents go with it.
    package var documents: Int64
    /// When it last refreshed a token.
    package var lastUsedAt: Int64
    /// Whether a merge holds it, or it has asked for a sign-in mail that may still be answered.
    package var isBusy: Bool

    /// Makes a due guest as the store finds it.
    package init(number: Int64, uid: String, documents: Int64, lastUsedAt: Int64, isBusy: Bool) {
        self.number = number
        self.uid = uid
        self.documents = documents
        self.lastUsedAt = lastUsedAt
        self.isBusy = isBusy
    }
}

/// Which guests are counted; see ``AccountStore/countGuests(_:)``.
package struct GuestCount: Sendable, Equatable {
    package enum Which: Sendable, Equatable {
        case all
        /// Whose time is not set, created in between.
        case unscheduled(after: Int64? = nil, by: Int64? = nil)
        case scheduled
        /// Scheduled to go by then.
        case due(by: Int64)
    }

    package var which: Which
    /// Only those who were not used since.
    package var unusedSince: Int64?
    /// Without those who are busy at this moment.
    package var excludesBusy = false
    /// Without those whom rows in the operator's tables keep.
    package var excludesBlocked = false

    /// Counts all of a kind.
    package init(_ which: Which) {
        self.which = which
    }
}
