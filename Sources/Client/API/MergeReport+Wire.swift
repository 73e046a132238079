#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Parsing is lenient: the merge has happened and its link is used up, so a missing or new field must not cause a
/// failure.
extension MergeReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case mergeID = "mergeId"
        case anonymousUID = "anonymousLocalId"
        case uid = "localId"
        case isDryRun = "dryRun"
        case mergedAt, documents, tables, username, profile
    }

    private enum ProfileKeys: CodingKey {
        case moved
    }

    /// Reads a report as the server writes it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mergeID = container.lenient(String.self, .mergeID)
        anonymousUID = container.lenient(String.self, .anonymousUID) ?? ""
        uid = container.lenient(String.self, .uid) ?? ""
        isDryRun = container.lenient(Bool.self, .isDryRun) ?? false
        mergedAt = container.lenient(String.self, .mergedAt).flatMap(WireDate.date)
        documents =
            container.lenient(Documents.self, .documents)
            ?? Documents(moved: 0, collections: [], conflicts: [], conflictsOmitted: 0)
        tables = container.lenient([Table].self, .tables) ?? []
        username = container.lenient(Username.self, .username) ?? .none
        let profile = try? container.nestedContainer(keyedBy: ProfileKeys.self, forKey: .profile)
        self.profile = profile?.lenient([String].self, .moved) ?? []
    }

    /// Writes the report as the server does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(mergeID, forKey: .mergeID)
        try container.encode(anonymousUID, forKey: .anonymousUID)
        try container.encode(uid, forKey: .uid)
        try container.encode(isDryRun, forKey: .isDryRun)
        try container.encodeIfPresent(mergedAt.map(WireDate.text), forKey: .mergedAt)
        try container.encode(documents, forKey: .documents)
        try container.encode(tables, forKey: .tables)
        try container.encode(username, forKey: .username)
        var profile = container.nestedContainer(keyedBy: ProfileKeys.self, forKey: .profile)
        try profile.encode(self.profile, forKey: .moved)
    }

    /// Creates the report of a merge of which only the two UIDs are known.
    init(anonymousUID: String, uid: String) {
        mergeID = nil
        self.anonymousUID = anonymousUID
        self.uid = uid
        isDryRun = false
        mergedAt = nil
        documents = Documents(moved: 0, collections: [], conflicts: [], conflictsOmitted: 0)
        tables = []
        username = .none
        profile = []
    }
}

extension MergeReport.Documents: Codable {
    private enum CodingKeys: CodingKey {
        case moved, collections, conflicts, conflictsOmitted
    }

    /// Reads the `documents` member of a report.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        moved = container.lenient(Int.self, .moved) ?? 0
        collections = container.lenient([MergeReport.Collection].self, .collections) ?? []
        conflicts = container.lenient([MergeReport.Conflict].self, .conflicts) ?? []
        conflictsOmitted = container.lenient(Int.self, .conflictsOmitted) ?? 0
    }

    /// Writes the `documents` member of a report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(moved, forKey: .moved)
        try container.encode(collections, forKey: .collections)
        try container.encode(conflicts, forKey: .conflicts)
        if conflictsOmitted > 0 { try container.encode(conflictsOmitted, forKey: .conflictsOmitted) }
    }
}

extension MergeReport.Conflict: Codable {
    private enum CodingKeys: String, CodingKey {
        case collection, id, outcome
        case newID = "newId"
    }

    /// Reads one conflict of a report.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = DocumentPath(
            try container.decode(String.self, forKey: .collection),
            try container.decode(String.self, forKey: .id)
        )
        outcome = .init(rawValue: try container.decode(String.self, forKey: .outcome))
        newID = container.lenient(String.self, .newID)
    }

    /// Writes one conflict of a report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path.collection, forKey: .collection)
        try container.encode(path.id, forKey: .id)
        try container.encode(outcome.rawValue, forKey: .outcome)
        try container.encodeIfPresent(newID, forKey: .newID)
    }
}

extension MergeReport.Username: Codable {
    private enum CodingKeys: CodingKey {
        case outcome, username
    }

    /// Reads the `username` member of a report.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = container.lenient(String.self, .username) ?? ""
        switch container.lenient(String.self, .outcome) {
        case "moved": self = .moved(name)
        case "dropped": self = .dropped(name)
        default: self = .none
        }
    }

    /// Writes the `username` member of a report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .none: try container.encode("none", forKey: .outcome)
        case .moved(let name):
            try container.encode("moved", forKey: .outcome)
            try container.encode(name, forKey: .username)
        case .dropped(let name):
            try container.encode("dropped", forKey: .outcome)
            try container.encode(name, forKey: .username)
        }
    }
}

extension KeyedDecodingContainer {
    /// Returns a value, or `nil` if it is missing or has another type.
    fileprivate func lenient<T: Decodable>(_ type: T.Type, _ key: Key) -> T? {
        try? decode(type, forKey: key)
    }
}

/// Times in the server's format: `2026-11-21T10:00:00.000Z`.
enum WireDate {
    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }

    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
