/// The record that is kept of a user who was deleted or merged.
///
/// Times are milliseconds since 1970.
package struct FormerUser: Sendable, Equatable {
    package let uid: String
    package let createdAt: Int64
    package let goneAt: Int64
    /// The UID of the user that they were merged into; `nil` if they were deleted.
    package let mergedInto: String?

    /// Makes a former user from its stored parts.
    package init(uid: String, createdAt: Int64, goneAt: Int64, mergedInto: String?) {
        self.uid = uid
        self.createdAt = createdAt
        self.goneAt = goneAt
        self.mergedInto = mergedInto
    }
}
