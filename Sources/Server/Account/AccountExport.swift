internal import Accounts
internal import JSON

/// A user's data as a JSON object, in pieces: what Latchkey stores about the user, without secrets and without other
/// users' data (docs/account.md has the schema).
///
/// The documents come last, page by page, so that no export is held in memory.
struct AccountExport: Sendable {
    /// The value of the member `format`, which changes with the meaning of the members.
    static let format = "latchkey-account-1"

    let overview: AccountOverview
    /// When the export was made, in milliseconds since 1970.
    let time: Int64

    /// The object up to the first document.
    var beginning: [UInt8] {
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("format", Self.format)
        json.member("exportedAt", Timestamp.rfc3339(milliseconds: time))
        json.members(exporting: overview)
        json.endObject()
        return json.bytes.dropLast() + Array(",\"documents\":[".utf8)
    }

    /// The next documents.
    ///
    /// - Parameter isFirst: whether no documents came before.
    static func piece(_ documents: [Document], isFirst: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(documents.reduce(0) { $0 + $1.bytes + 192 })
        for document in documents {
            if !isFirst || !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            var json = JSONWriter(capacity: document.bytes + 192)
            json.beginObject()
            json.member("collection", document.name.collection)
            json.member("id", document.name.id)
            json.member("updatedAt", Timestamp.rfc3339(milliseconds: document.updatedAt))
            json.member("document", rawJSON: document.content.utf8)
            json.endObject()
            bytes += json.bytes
        }
        return bytes
    }

    /// The end of the object.
    static let end = Array("]}\n".utf8)
}

extension JSONWriter {
    /// Writes the profile, the identities and the sessions of a user.
    mutating func members(exporting overview: AccountOverview) {
        beginObject("user")
        members(exporting: overview.user, username: overview.username)
        endObject()
        beginArray("identities")
        for linked in overview.identities {
            beginObject()
            members(exporting: linked)
            endObject()
        }
        endArray()
        beginArray("sessions")
        for session in overview.listed.sessions {
            beginObject()
            member("id", session.sid)
            if !session.device.isEmpty { member("device", session.device) }
            member("network", session.network)
            member("signInProvider", session.provider.rawValue)
            member("createdAt", Timestamp.rfc3339(milliseconds: session.createdAt))
            member("lastUsedAt", Timestamp.rfc3339(milliseconds: session.lastUsedAt))
            endObject()
        }
        endArray()
    }

    fileprivate mutating func members(exporting user: User, username: String?) {
        member("uid", user.uid)
        member("isGuest", user.isAnonymous)
        member("email", user.email)
        member("emailConfirmedAt", user.emailVerifiedAt.map(Timestamp.rfc3339))
        member("earlierEmail", user.initialEmail)
        member("username", username)
        member("displayName", user.displayName)
        member("photoUrl", user.photoURL)
        member("screenName", user.screenName)
        if let claims = user.customAttributes { member("claims", rawJSON: claims.utf8) }
        member("createdAt", Timestamp.rfc3339(milliseconds: user.createdAt))
        member("lastSignInAt", Timestamp.rfc3339(milliseconds: user.lastLoginAt))
        member("lastUsedAt", Timestamp.rfc3339(milliseconds: user.lastRefreshAt))
        member("emailLinkSignInAt", user.emailLinkAt.map(Timestamp.rfc3339))
        member("customSignInAt", user.customAuthAt.map(Timestamp.rfc3339))
        member("importedAt", user.importedAt.map(Timestamp.rfc3339))
    }

    fileprivate mutating func members(exporting linked: LinkedIdentity) {
        let identity = linked.identity
        member("provider", identity.provider)
        member("subject", identity.subject)
        member("email", identity.email)
        member("displayName", identity.displayName)
        member("photoUrl", identity.photoURL)
        member("screenName", identity.screenName)
        member("linkedAt", Timestamp.rfc3339(milliseconds: linked.linkedAt))
    }
}
