internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON

extension Operator {
    /// Exports all users in the format of `firebase auth:export`, in the order of their UIDs.
    ///
    /// One page of users is in memory at a time. Users who are created or deleted meanwhile may be included or not.
    ///
    /// - Parameters:
    ///   - write: writes the next piece of the file.
    ///   - progress: called after each page.
    /// - Returns: the number of users.
    /// - Throws: what `write` throws, or the error that keeps the database from being read.
    package func exportUsers(
        write: ([UInt8]) throws -> Void,
        progress: (TransferProgress) -> Void
    ) throws -> Int {
        let total = try store.database.readNow { Int(clamping: try $0.userCount()) }
        // First, so that no export is without its entry.
        try store.database.writeNow { [flows] in try flows.audit(.usersExported, detail: "\(total)", in: $0) }
        var count = 0, bytes = 0
        func put(_ piece: [UInt8]) throws {
            bytes += piece.count
            try write(piece)
        }
        try put([UInt8]("{\"users\": [\n".utf8))
        var last = ""
        while true {
            let (users, identities) = try store.database.readNow { transaction in
                let users = try transaction.users(after: last, limit: 1000)
                let identities = try transaction.identities(ofUsersAfter: last, through: users.last?.uid ?? last)
                return (users, Dictionary(grouping: identities, by: \.uid))
            }
            guard let end = users.last else { break }
            var piece: [UInt8] = []
            piece.reserveCapacity(users.count * 256)
            for user in users {
                if count > 0 { piece += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
                piece += Self.exported(user, identities[user.uid] ?? [])
                count += 1
            }
            try put(piece)
            progress(TransferProgress(users: count, bytes: bytes, total: total))
            last = end.uid
        }
        try put([UInt8]("\n]}\n".utf8))
        return count
    }

    /// Returns a user in the format of `firebase auth:export`, with only the members that `firebase auth:import` knows.
    private static func exported(_ user: User, _ identities: [Identity]) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("localId", user.uid)
        if let email = user.email {
            json.member("email", email)
            // The format cannot represent an address that an e-mail confirmed and whose owner has not signed in. At the
            // import's destination, the first sign-in by e-mail takes over an unproven address, as it does here.
            json.member("emailVerified", user.emailVerifiedAt != nil && user.unclaimedSince == nil)
        }
        json.member("displayName", user.displayName)
        json.member("photoUrl", user.photoURL)
        json.member("lastSignedInAt", String(user.lastLoginAt))
        json.member("createdAt", String(user.createdAt))
        if user.isDisabled { json.member("disabled", true) }
        json.member("customAttributes", user.customAttributes)
        json.beginArray("providerUserInfo")
        for identity in identities {
            json.beginObject()
            json.member("providerId", identity.provider)
            json.member("rawId", identity.subject)
            json.member("email", identity.email)
            json.member("displayName", identity.displayName)
            json.member("photoUrl", identity.photoURL)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
