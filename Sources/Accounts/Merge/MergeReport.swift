internal import JSON

/// What a merge moved, which conflicts it found, and how it resolved them.
package struct MergeReport: Sendable, Equatable {
    /// The maximum number of conflicts that are listed one by one.
    package static let longestList = 1000

    /// What happened to the documents of one collection.
    package struct Collection: Sendable, Equatable {
        package var name: String
        package var policy: DocumentMergePolicy.Name
        /// The number of the guest's documents that moved without a conflict.
        package var moved: Int64
        /// The number of the guest's documents whose name the permanent user also used in the collection.
        package var conflicts: Int64
    }

    /// How a conflict between two documents was resolved.
    package enum Outcome: String, Sendable {
        case keptExisting, keptAnonymous, keptBoth, merged
    }

    /// A conflict: the guest and the permanent user each had a document with this collection and id.
    package struct Conflict: Sendable, Equatable {
        package var collection: String
        package var id: String
        package var outcome: Outcome
        /// The new id of the guest's document if both documents were kept, otherwise `nil`.
        package var newID: String?
    }

    /// The outcome for the guest's username.
    package enum Username: Sendable, Equatable {
        /// The guest had none.
        case none
        case moved(String)
        /// The permanent user has a username, so the guest's is free again.
        case dropped(String)
    }

    package var mergeID: String
    package var anonymousUID: String
    package var uid: String
    package var isDryRun: Bool
    /// The time of the merge or dry run, in milliseconds since 1970.
    package var mergedAt: Int64
    package var collections: [Collection] = []
    /// The first ``longestList`` conflicts.
    package var conflicts: [Conflict] = []
    package var tables: [RowMove] = []
    package var username = Username.none
    /// The names of the profile fields that were copied from the guest: `displayName`, `photoUrl`.
    package var profile: [String] = []

    /// Makes an empty report.
    package init(mergeID: String, anonymousUID: String, uid: String, isDryRun: Bool, mergedAt: Int64) {
        self.mergeID = mergeID
        self.anonymousUID = anonymousUID
        self.uid = uid
        self.isDryRun = isDryRun
        self.mergedAt = mergedAt
    }

    /// The report as sent to clients and as stored: compact JSON.
    package var json: String {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("mergeId", mergeID)
        json.member("anonymousLocalId", anonymousUID)
        json.member("localId", uid)
        json.member("dryRun", isDryRun)
        json.member("mergedAt", Timestamp.rfc3339(milliseconds: mergedAt))
        writeDocuments(to: &json)
        json.beginArray("tables")
        for table in tables {
            json.beginObject()
            json.member("table", table.table)
            json.member("column", table.column)
            json.member("moved", table.moved)
            json.member("dropped", table.dropped)
            json.endObject()
        }
        json.endArray()
        writeUsername(to: &json)
        json.beginObject("profile")
        json.beginArray("moved")
        for field in profile { json.element(field) }
        json.endArray()
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func writeDocuments(to json: inout JSONWriter) {
        json.beginObject("documents")
        json.member("moved", collections.reduce(0) { $0 + $1.moved })
        json.beginArray("collections")
        for collection in collections {
            json.beginObject()
            json.member("collection", collection.name)
            json.member("policy", collection.policy.rawValue)
            json.member("moved", collection.moved)
            json.member("conflicts", collection.conflicts)
            json.endObject()
        }
        json.endArray()
        json.beginArray("conflicts")
        for conflict in conflicts {
            json.beginObject()
            json.member("collection", conflict.collection)
            json.member("id", conflict.id)
            json.member("outcome", conflict.outcome.rawValue)
            json.member("newId", conflict.newID)
            json.endObject()
        }
        json.endArray()
        let omitted = collections.reduce(0) { $0 + $1.conflicts } - Int64(conflicts.count)
        if omitted > 0 { json.member("conflictsOmitted", omitted) }
        json.endObject()
    }

    private func writeUsername(to json: inout JSONWriter) {
        json.beginObject("username")
        switch username {
        case .none:
            json.member("outcome", "none")
        case .moved(let name):
            json.member("outcome", "moved")
            json.member("username", name)
        case .dropped(let name):
            json.member("outcome", "dropped")
            json.member("username", name)
        }
        json.endObject()
    }
}
