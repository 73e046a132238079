internal import AccountDatabase
internal import Accounts
internal import Database

/// The administrators.
extension Operator {
    /// The UIDs of the administrators.
    package func administrators() throws -> [String] {
        try store.database.readNow { try $0.administrators() }
    }

    /// Adds a user to the administrators, or removes the user.
    ///
    /// A guest who is added becomes a permanent user.
    ///
    /// - Throws: when adding, ``Failure/noSuchUser(_:)``, or ``Failure/unfit(_:)`` for a UID with a space.
    package func setAdministrator(_ isAdministrator: Bool, _ uid: String) throws {
        // The setting is a list separated by spaces, so such a UID would count as two.
        guard !isAdministrator || !uid.contains(" ") else { throw Failure.unfit(uid) }
        try store.database.writeNow { transaction in
            if isAdministrator {
                guard var user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
                // A user whom the operator chose is not a guest any more, and is never cleaned up.
                user.anonymousSince = nil
                try transaction.update(user)
            }
            let others = try transaction.administrators().filter { $0 != uid }
            try transaction.setAdministrators(isAdministrator ? others + [uid] : others)
        }
    }
}
