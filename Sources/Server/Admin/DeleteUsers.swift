internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// The most users of one call (contract, 3.11).
    private static let mostDeleted = 1000
    /// How many go in one transaction, so that nobody waits long behind one.
    private static let deletedAtOnce = 50

    /// `POST /v1/projects/{project}/accounts:batchDelete`: an administrator deletes users; those who cannot go are named.
    ///
    /// A server that stops meanwhile has deleted some of them; the call may be repeated.
    func deleteUsers(_ request: Request) throws -> Handling {
        let (body, authority) = try administratorsCall(of: request, changing: true)
        var seen: Set<String> = []
        let uids = try body.strings("localIds", limit: .max).filter { seen.insert($0).inserted }
        guard (1...Self.mostDeleted).contains(uids.count) else { throw Refusal(.localIDListExceedsLimit) }
        let force = try body.bool("force") ?? false
        return .async {
            let numbered = Array(uids.enumerated())
            var kept: [(place: Int, uid: String, reason: Refusal)] = []
            for start in stride(from: 0, to: numbered.count, by: Self.deletedAtOnce) {
                let batch = numbered[start...].prefix(Self.deletedAtOnce)
                kept += try await self.delete(batch, force: force, by: authority)
            }
            return Self.response(kept)
        }
    }

    /// Deletes a few users in one transaction; one by one where that breaks a key of the operator's own tables.
    ///
    /// - Returns: who stays.
    private func delete(
        _ uids: ArraySlice<(offset: Int, element: String)>,
        force: Bool,
        by authority: AdministratorAuthority
    ) async throws -> [(place: Int, uid: String, reason: Refusal)] {
        do {
            let deleted = try await database.write { [flows] transaction in
                try flows.deleteUsers(uids, force: force, by: authority, in: transaction)
            }
            for user in deleted.users {
                changes.ended(user.uid)
                log("user.deleted", uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-administrator")
            }
            return deleted.kept
        } catch let error as DatabaseError {
            guard case .constraint = error.kind else { throw error }
            guard uids.count > 1 else { return uids.map { ($0.offset, $0.element, Delete.keptByTables) } }
            var kept: [(place: Int, uid: String, reason: Refusal)] = []
            for index in uids.indices { kept += try await delete(uids[index...index], force: force, by: authority) }
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
