/// All that is kept of a user who is gone.
///
/// Times are milliseconds since 1970.
package struct FormerUser: Sendable, Equatable {
    package let uid: String
    package let createdAt: Int64
    package let goneAt: Int64
    /// The UID that what they had has moved to; `nil` where they were deleted.
    package let mergedInto: String?

    /// Makes a former user as the store keeps it.
    package init(uid: String, createdAt: Int64, goneAt: Int64, mergedInto: String?) {
        self.uid = uid
        self.createdAt = createdAt
        self.goneAt = goneAt
        self.mergedInto = mergedInto
    }
}
