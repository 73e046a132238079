internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// The maximum number of different users that one call deletes (contract, 3.11).
    private static let mostDeleted = 1000
    /// The number of users in one transaction, so that other transactions do not wait long.
    private static let deletedAtOnce = 50

    /// `POST /v1/projects/{project}/accounts:batchDelete`: deletes users, and lists those that were kept, with reasons.
    ///
    /// Without `force`, users whom no administrator has disabled are kept. UIDs of unknown users are ignored.
    ///
    /// Deletes 50 users in each transaction. If the server stops meanwhile, some of the users are deleted. The call may
    /// be repeated.
    func deleteUsers(_ call: AuthorizedRequest) throws -> Handling {
        let (body, actor) = try administratorsCall(of: call, changing: true)
        var seen: Set<String> = []
        let uids = try body.strings("localIds", limit: .max).filter { seen.insert($0).inserted }
        guard (1...Self.mostDeleted).contains(uids.count) else { throw Refusal(.localIDListExceedsLimit) }
        let force = try body.bool("force") ?? false
        return .async {
            let numbered = Array(uids.enumerated())
            var kept: [(place: Int, uid: String, reason: Refusal)] = []
            for start in stride(from: 0, to: numbered.count, by: Self.deletedAtOnce) {
                let batch = numbered[start...].prefix(Self.deletedAtOnce)
                kept += try await self.delete(batch, force: force, by: actor)
            }
            return Self.response(kept)
        }
    }

    /// Deletes a few users in one transaction, or one by one if that violates a constraint of the operator's own
    /// tables.
    ///
    /// - Returns: the users that were kept, each with the position in the call's list and the reason.
    private func delete(
        _ uids: ArraySlice<(offset: Int, element: String)>,
        force: Bool,
        by actor: AuditActor
    ) async throws -> [(place: Int, uid: String, reason: Refusal)] {
        do {
            let deleted = try await database.write(kind: "DeleteUsers") {
                [flows = flows.acting(as: actor)] transaction in
                try flows.deleteUsers(uids, force: force, in: transaction)
            } committed: { deleted in
                for user in deleted.users {
                    self.changes.ended(user.uid)
                    self.log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-administrator")
                }
            }
            return deleted.kept
        } catch let error as DatabaseError {
            guard case .constraint = error.kind else { throw error }
            guard uids.count > 1 else { return uids.map { ($0.offset, $0.element, Delete.keptByTables) } }
            var kept: [(place: Int, uid: String, reason: Refusal)] = []
            for index in uids.indices { kept += try await delete(uids[index...index], force: force, by: actor) }
            return kept
        }
    }

    private static func response(_ kept: [(place: Int, uid: String, reason: Refusal)]) -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        if !kept.isEmpty {
            json.beginArray("errors")
            for (place, uid, reason) in kept {
                json.beginObject()
                json.member("index", place)
                json.member("localId", uid)
                json.member("message", reason.wireText)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return .json(json.bytes)
    }
}
