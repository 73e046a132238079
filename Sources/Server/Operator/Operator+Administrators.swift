internal import AccountDatabase
internal import Accounts
internal import Database

/// The administrators.
extension Operator {
    /// The UIDs of the administrators.
    package func administrators() throws -> [String] {
        try store.database.readNow { try $0.administrators() }
    }

    /// The UIDs of the administrators who may only look.
    package func readOnlyAdministrators() throws -> [String] {
        let list = try store.database.readNow { try $0.administratorList() }
        return list.uids.filter { list[$0] == .readOnly }
    }

    /// Adds a user to the administrators, changes whether an administrator may only look, or removes the user.
    ///
    /// A guest who is added becomes a permanent user.
    ///
    /// - Throws: when adding, ``Failure/noSuchUser(_:)``, or ``Failure/unfit(_:)`` for a UID with a space.
    package func setAdministrator(_ isAdministrator: Bool, _ uid: String, isReadOnly: Bool = false) throws {
        guard !isAdministrator || AdministratorList.admits(uid) else { throw Failure.unfit(uid) }
        let role: AdministratorRole? = isAdministrator ? isReadOnly ? .readOnly : .full : nil
        do {
            try store.database.writeNow { [flows] in try flows.setAdministrator(role, uid, in: $0) }
        } catch is Refusal {
            throw Failure.noSuchUser(uid)
        }
    }
}
