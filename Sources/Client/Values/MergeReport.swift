#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The data that a merge moved from an anonymous user to another user, or would move.
///
/// The server lists at most a thousand conflicts. The counts are complete.
public struct MergeReport: Sendable, Equatable {
    /// The ID of this merge or dry run; `nil` if the server sent no report with details.
    public let mergeID: String?
    /// The UID of the anonymous user.
    public let anonymousUID: String
    /// The UID of the user who owns the data after the merge.
    public let uid: String
    /// Whether it was a dry run that changed nothing.
    public let isDryRun: Bool
    /// When the merge or the dry run was made; `nil` if the server sent no report with details.
    public let mergedAt: Date?
    /// The result for the documents.
    public let documents: Documents
    /// The result for the rows in the operator's own tables.
    public let tables: [Table]
    /// The result for the username.
    public let username: Username
    /// The names of the profile fields that were copied to the other user, for example `displayName`.
    public let profile: [String]

    /// The documents of a merge.
    public struct Documents: Sendable, Equatable {
        /// The number of moved documents.
        public let moved: Int
        /// The results for each collection.
        public let collections: [Collection]
        /// Documents that both users had, and how the conflicts were resolved.
        public let conflicts: [Conflict]
        /// The number of conflicts that are not listed in ``conflicts``.
        public let conflictsOmitted: Int
    }

    /// A collection in a merge.
    public struct Collection: Sendable, Equatable, Codable {
        /// The collection's name.
        public let name: String
        /// How conflicts in it are resolved: `keepExisting`, `keepAnonymous`, `keepBoth`, `deepMerge` or `newest`.
        public let policy: String
        /// The number of moved documents.
        public let moved: Int
        /// The number of documents that both users had.
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
        /// How the conflict between the two users' documents was resolved.
        public let outcome: Outcome
        /// The new ID of the anonymous user's document, if both were kept; otherwise `nil`.
        public let newID: String?
    }

    /// The resolution of a conflict.
    public struct Outcome: RawRepresentable, Sendable, Hashable {
        /// The server's name of the resolution.
        public let rawValue: String

        /// Creates a resolution from the server's name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The account's document stayed.
        public static let keptExisting = Self(rawValue: "keptExisting")
        /// The anonymous user's document replaced the account's document.
        public static let keptAnonymous = Self(rawValue: "keptAnonymous")
        /// Both documents were kept, the anonymous user's under ``Conflict/newID``.
        public static let keptBoth = Self(rawValue: "keptBoth")
        /// The two documents were merged member by member.
        public static let merged = Self(rawValue: "merged")
    }

    /// One of the operator's tables in a merge.
    public struct Table: Sendable, Equatable, Codable {
        /// The table's name.
        public let name: String
        /// The column with the UID.
        public let column: String
        /// The number of moved rows.
        public let moved: Int
        /// The number of rows dropped because they conflicted with a row of the account.
        public let dropped: Int

        private enum CodingKeys: String, CodingKey {
            case name = "table"
            case column, moved, dropped
        }
    }

    /// The username in a merge.
    public enum Username: Sendable, Equatable {
        /// The anonymous user had no username.
        case none
        /// The anonymous user's username was moved to the account.
        case moved(String)
        /// The account already had a username, so the anonymous user's username was released.
        case dropped(String)
    }
}
