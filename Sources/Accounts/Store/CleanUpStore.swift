/// The guests that are due for clean-up.
package protocol CleanUpStore {
    /// Ensures that all transactions that create users come before or after this one.
    ///
    /// - Throws: an error after which the caller runs again, once those in progress have ended.
    func lockGuests() throws
    /// Whether a guest is due, or a schedule of guests without a due time is pending (``PendingSchedule``).
    func needsSweep() throws -> Bool
    /// Returns guests whose due time has come and whose account is not contested, the earliest due time first; at most
    /// `limit`.
    func dueGuests(limit: Int) throws -> [DueGuest]
    /// Gives a due time, in milliseconds since 1970, to guests that have none and became guests no later than `time`.
    ///
    /// - Returns: the number of guests scheduled, at most `limit`.
    func scheduleGuests(createdBy time: Int64, for dueAt: Int64, limit: Int) throws -> Int
    /// Sets the due time of guests, given by the numbers of their rows, in milliseconds since 1970.
    func postponeCleanup(of numbers: [Int64], to time: Int64) throws
    /// Sets the due time of guests, given by the numbers of their rows, to their last token refresh plus a duration.
    func postponeCleanup(of numbers: [Int64], toLastUsePlus milliseconds: Int64) throws
    /// Deletes guests with all that belongs to them, including their sessions, and records that their UIDs existed
    /// (``FormerUser``).
    ///
    /// Skips users who are no longer guests or no longer due, and guests that a merge suspends.
    ///
    /// - Returns: the UIDs of the guests that were deleted.
    func deleteGuests(_ guests: [DueGuest]) throws -> [String]
    /// Counts the guests that a ``GuestCount`` describes.
    func countGuests(_ count: GuestCount) throws -> Int64
    /// Counts the due guests that rows of the operator's own tables keep, for each such table.
    func countBlockedGuests() throws -> [String: Int64]
}
