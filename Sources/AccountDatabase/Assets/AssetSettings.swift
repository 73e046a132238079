package import Database

/// What a merge does with a guest's row in one of the operator's tables that conflicts with a permanent user's row
/// under a unique constraint.
package enum AssetPolicy: String, Sendable, CaseIterable {
    /// Keeps the permanent user's row and deletes the guest's. Rows that referred to the guest's row then refer to the
    /// kept row.
    case keepExisting
    /// Fails the merge with ``MergeBlocked``.
    case fail
}

/// What the operator declares about their own tables.
package struct AssetSettings: Sendable, Equatable {
    /// A table whose rows belong to users by the operator's declaration, whether or not it has a foreign key to
    /// `users`.
    package struct Table: Sendable, Equatable {
        package let table: String
        /// The column that holds UIDs.
        package let column: String
        /// What a merge does with conflicting rows of this table; `nil` for the default, ``AssetSettings/policy``.
        package let policy: AssetPolicy?
        /// The name of the attached file that contains the table, a key of ``AssetSettings/attached``; `nil` for the
        /// database itself.
        package let attached: String?

        /// Declares that a table of the operator has rows of users.
        package init(table: String, column: String, policy: AssetPolicy? = nil, attached: String? = nil) {
            self.table = table
            self.column = column
            self.policy = policy
            self.attached = attached
        }
    }

    /// The policy of tables that declare none.
    package var policy = AssetPolicy.keepExisting
    package var tables: [Table] = []
    /// The paths of SQLite files, by the name under which each is attached.
    package var attached: [String: String] = [:]

    /// Creates settings without declarations, so that only foreign keys are followed.
    package init() {}
}

extension SQLiteConfiguration {
    /// Gives each connection the operator's declarations about their own tables, and lets it attach the declared files.
    package mutating func declare(_ assets: AssetSettings) {
        maximumAttachedFiles = assets.attached.count
        makeContext = { AssetCache(assets) }
    }
}

extension PostgreSQLConfiguration {
    /// Gives each connection the operator's declarations about their own tables, and names the keys of Latchkey's for
    /// which transactions compete.
    package mutating func declare(_ assets: AssetSettings) {
        makeContext = { AssetCache(assets) }
        // An address or an identity that two users got at once.
        contestedKeys = Transaction.contestedKeys
    }
}
