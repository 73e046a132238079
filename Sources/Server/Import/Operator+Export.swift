internal import Accounts
internal import Database
internal import JSON

extension Operator {
    /// Writes all users down as `firebase auth:export` does, in the order of their UIDs.
    ///
    /// A page of users at a time is in memory. Users who come or go meanwhile may be in it or not.
    ///
    /// - Parameters:
    ///   - write: takes the next piece of the file.
    ///   - progress: told after each page.
    /// - Returns: how many users there were.
    package func exportUsers(
        write: ([UInt8]) throws -> Void,
        progress: (TransferProgress) -> Void
    ) throws -> Int {
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
            progress(TransferProgress(users: count, bytes: bytes))
            last = end.uid
        }
        try put([UInt8]("\n]}\n".utf8))
        return count
    }

    /// A user in the words of `firebase auth:export`; those of `firebase auth:import` know no others.
    private static func exported(_ user: User, _ identities: [Identity]) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("localId", user.uid)
        if let email = user.email {
            json.member("email", email)
            // The format has no word for an address that a mail confirmed and whose owner has not signed in. Where the file is imported,
            // the first sign-in by mail takes an unproven address over, as it does here.
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
