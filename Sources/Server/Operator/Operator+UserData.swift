internal import AccountDatabase
internal import Accounts
internal import Database

/// The receipt of an erased user.
package struct ErasureReceipt: Sendable, Encodable {
    package let uid: String
    /// When the user was erased.
    package let at: String
    /// The actor, as the audit log stores it.
    package let actor: String
    package let reason: String?
    /// The numbers of removed rows, by kind of data, without those of 0.
    package let removed: [String: Int]
    /// What is left of the user, in words.
    package let stays: [String]

    /// Makes a receipt from an erasure.
    init(_ erasure: Erasure, by actor: AuditActor) {
        uid = erasure.user.uid
        at = Timestamp.rfc3339(milliseconds: erasure.at)
        self.actor = actor.stored ?? actor.kind.rawValue
        reason = actor.reason
        removed = Dictionary(uniqueKeysWithValues: erasure.removed.map { ($0.key.rawValue, $0.value) })
        stays = ["the UID in former_users and in the audit log", "messages to hooks with the UID", "backups"]
    }
}

/// The data of one user.
extension Operator {
    /// Writes all data of a user as JSON, and records the export in the audit log.
    ///
    /// - Parameters:
    ///   - name: the user, as ``uid(of:)`` finds one.
    ///   - write: writes the next piece.
    /// - Returns: the user's UID.
    /// - Throws: ``Failure/noSuchUser(_:)``, what `write` throws, or the error that keeps the database from being read.
    package func exportUser(_ name: String, write: ([UInt8]) throws -> Void) throws -> String {
        let uid = try uid(of: name)
        // First, so that no export is without its entry.
        try store.database.writeNow { [flows] in try flows.audit(.userExported, uid: uid, in: $0) }
        let isThere = try store.database.readNow { [flows] transaction in
            try UserExport(uid: uid, flows: flows, transaction: transaction).write(write)
        }
        guard isThere else { throw Failure.noSuchUser(name) }
        return uid
    }

    /// Deletes a user and all data that belongs to them permanently, and what is left of their requests.
    ///
    /// - Parameters:
    ///   - uid: the user's UID.
    ///   - isDryRun: whether to change nothing, and only to return what would be deleted.
    /// - Returns: the receipt.
    /// - Throws: ``Failure/noSuchUser(_:)``; ``Failure/keepsRows(_:tables:)`` if rows or triggers of the operator's own
    ///   tables keep the user; ``Failure/refused(_:reason:)``.
    @discardableResult
    package func eraseUser(_ uid: String, isDryRun: Bool = false) throws -> ErasureReceipt {
        do {
            let erasure = try store.database.writeNow(alone: true) { [flows] transaction -> Erasure? in
                try isDryRun
                    ? transaction.dryRun { transaction -> Erasure? in
                        let erasure = try flows.erase(uid, in: transaction)
                        // Shows also what the commit would refuse.
                        if let error = try transaction.unresolvedConstraint() { throw error }
                        return erasure
                    }
                    : flows.erase(uid, in: transaction)
            }
            guard let erasure else { throw Failure.noSuchUser(uid) }
            return ErasureReceipt(erasure, by: actor)
        } catch let error as DatabaseError {
            guard case .constraint = error.kind else { throw error }
            let blockers = try store.database.writeNow(alone: true) { try $0.blockers(of: [uid]) }
            throw Failure.keepsRows(uid, tables: Array(blockers.values))
        } catch let refusal as Refusal {
            throw Failure.refused(uid, reason: refusal.detail ?? refusal.code.rawValue)
        }
    }
}
