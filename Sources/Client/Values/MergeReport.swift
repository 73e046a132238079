#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a merge moved from an anonymous user to another one, or would move.
///
/// Of conflicts the server lists a thousand; the counts are complete.
public struct MergeReport: Sendable, Equatable {
    /// The name of this merge.
    public let mergeID: String?
    /// The UID of the anonymous user.
    public let anonymousUID: String
    /// The UID that all of it belongs to now.
    public let uid: String
    /// Whether nothing was changed.
    public let isDryRun: Bool
    /// When it was done, or tried.
    public let mergedAt: Date?
    /// What became of the documents.
    public let documents: Documents
    /// What became of the rows in the operator's own tables.
    public let tables: [Table]
    /// What became of the username.
    public let username: Username
    /// The fields of the profile that were carried over, `displayName` for example.
    public let profile: [String]

    /// The documents of a merge.
    public struct Documents: Sendable, Equatable {
        /// How many have changed hands.
        public let moved: Int
        /// The same for each collection.
        public let collections: [Collection]
        /// Documents that both users had, and how that was settled.
        public let conflicts: [Conflict]
        /// How many more conflicts there were than are listed.
        public let conflictsOmitted: Int
    }

    /// A collection in a merge.
    public struct Collection: Sendable, Equatable, Codable {
        /// Its name.
        public let name: String
        /// How conflicts in it are settled: `keepExisting`, `keepAnonymous`, `keepBoth`, `deepMerge` or `newest`.
        public let policy: String
        /// How many of its documents have changed hands.
        public let moved: Int
        /// How many of its documents both users had.
        public let conflicts: Int

        private enum CodingKeys: String, CodingKey {
            case name = "collection"
            case policy, moved, conflicts
        }
    }

    /// A document that both users had.
    public struct Conflict: Sendable, Equatable {
        /// The document.
        public let path: DocumentPath
        /// Which one is there now.
        public let outcome: Outcome
        /// The new id of the anonymous user's document, where both were kept.
        public let newID: String?
    }

    /// How a conflict was settled.
    public struct Outcome: RawRepresentable, Sendable, Hashable {
        /// The server's word for it.
        public let rawValue: String

        /// Makes an outcome of the server's word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The account's document stayed.
        public static let keptExisting = Self(rawValue: "keptExisting")
        /// The anonymous user's document took its place.
        public static let keptAnonymous = Self(rawValue: "keptAnonymous")
        /// Both are there, the anonymous user's under ``Conflict/newID``.
        public static let keptBoth = Self(rawValue: "keptBoth")
        /// They were merged member by member.
        public static let merged = Self(rawValue: "merged")
    }

    /// A table of the operator's in a merge.
    public struct Table: Sendable, Equatable, Codable {
        /// Its name.
        public let name: String
        /// The column with the UID.
        public let column: String
        /// How many rows have changed hands.
        public let moved: Int
        /// How many rows were dropped, because the account had one that excluded them.
        public let dropped: Int

        private enum CodingKeys: String, CodingKey {
            case name = "table"
            case column, moved, dropped
        }
    }

    /// The username in a merge.
    public enum Username: Sendable, Equatable {
        /// The anonymous user had none.
        case none
        /// It belongs to the account now.
        case moved(String)
        /// The account had one already: the anonymous user's was given back.
        case dropped(String)
    }
}
