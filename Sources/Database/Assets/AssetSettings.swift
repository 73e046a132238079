/// What becomes of a guest's row that meets one of the permanent user's under a unique constraint.
package enum AssetPolicy: String, Sendable, CaseIterable {
    /// The permanent user's row stays, the guest's is deleted; what refers to it refers to the other from then on.
    case keepExisting
    /// The merge fails.
    case fail
}

/// What an operator declares about tables of their own.
package struct AssetSettings: Sendable, Equatable {
    /// A table that is named, whether or not a foreign key would lead to it.
    package struct Table: Sendable, Equatable {
        package let table: String
        /// The column that holds UIDs.
        package let column: String
        /// `nil` for the default one.
        package let policy: AssetPolicy?
        /// The attached file that it is in; `nil` for the database itself.
        package let attached: String?

        /// Names a table.
        package init(table: String, column: String, policy: AssetPolicy? = nil, attached: String? = nil) {
            self.table = table
            self.column = column
            self.policy = policy
            self.attached = attached
        }
    }

    package var policy = AssetPolicy.keepExisting
    package var tables: [Table] = []
    /// SQLite files by the name under which they are attached.
    package var attached: [String: String] = [:]

    /// Makes settings with nothing declared: what foreign keys tell is all there is.
    package init() {}
}
