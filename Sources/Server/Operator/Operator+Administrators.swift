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
        do {
            try store.database.writeNow { [flows] in try flows.setAdministrator(isAdministrator, uid, in: $0) }
        } catch is Refusal {
            throw Failure.noSuchUser(uid)
        }
    }
}
