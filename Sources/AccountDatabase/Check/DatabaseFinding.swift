/// The violations of one rule that must hold in every database, even after crashes.
package struct DatabaseFinding: Sendable, Equatable {
    /// The name of the rule, which stays the same in all versions so that scripts can rely on it.
    package let rule: String
    /// A description of what violates the rule, in the plural, such as "users merged into themselves".
    package let what: String
    /// The number of violations.
    package let count: Int64
    /// At most ten examples: UIDs, row numbers or other IDs.
    package let examples: [String]
}
