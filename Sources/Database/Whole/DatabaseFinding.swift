/// Something that no database may hold, whatever happened to the servers on it.
package struct DatabaseFinding: Sendable, Equatable {
    /// A stable name for scripts.
    package let rule: String
    /// What they are, in the plural.
    package let what: String
    /// How many of them there are.
    package let count: Int64
    /// A few of them: UIDs, or numbers of rows.
    package let examples: [String]
}
