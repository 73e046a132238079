/// A guest whose due time for clean-up has come, with the facts that decide whether the guest is deleted.
package struct DueGuest: Sendable, Equatable {
    /// The number of the guest's row.
    package var number: Int64
    package var uid: String
    /// The number of documents that are deleted with the guest.
    package var documents: Int64
    /// When the guest last refreshed a token (``User/lastRefreshAt``), in milliseconds since 1970; the creation if
    /// there was no refresh.
    package var lastUsedAt: Int64
    /// Whether a merge has suspended the guest, or the ticket of a sign-in e-mail that the guest requested may still be
    /// redeemed.
    package var isBusy: Bool
    /// Whether the guest was imported, or recorded while calls are forwarded to Firebase.
    package var isOfFirebase: Bool

    /// Makes a due guest from its parts.
    package init(
        number: Int64,
        uid: String,
        documents: Int64,
        lastUsedAt: Int64,
        isBusy: Bool,
        isOfFirebase: Bool = false
    ) {
        self.number = number
        self.uid = uid
        self.documents = documents
        self.lastUsedAt = lastUsedAt
        self.isBusy = isBusy
        self.isOfFirebase = isOfFirebase
    }
}

/// The guests to count; see ``CleanUpStore/countGuests(_:)``.
package struct GuestCount: Sendable, Equatable {
    package enum Which: Sendable, Equatable {
        case all
        /// Guests without a due time that became guests (``User/anonymousSince``) after one time and no later than the
        /// other, in milliseconds since 1970; `nil` sets no bound.
        case unscheduled(after: Int64? = nil, by: Int64? = nil)
        case scheduled
        /// Guests whose due time is no later than this, in milliseconds since 1970.
        case due(by: Int64)
    }

    package var which: Which
    /// Counts only guests whose last token refresh, or creation without one, was no later than this, in milliseconds
    /// since 1970; `nil` counts all.
    package var unusedSince: Int64?
    /// Leaves out guests that are busy at this moment (``DueGuest/isBusy``).
    package var excludesBusy = false
    /// Leaves out guests that rows in the operator's tables keep.
    package var excludesBlocked = false

    /// Makes a count of all guests of a kind, without further conditions.
    package init(_ which: Which) {
        self.which = which
    }
}
