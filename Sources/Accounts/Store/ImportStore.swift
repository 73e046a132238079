/// What an import asks about many users at once.
package protocol ImportStore {
    /// Returns the UIDs among these of users who exist.
    func presentUsers(among uids: [String]) throws -> [String]
    /// Returns the records of the users among these who were deleted or merged.
    func formerUsers(among uids: [String]) throws -> [FormerUser]
    /// Returns the UIDs of the users who have these addresses, by address.
    func owners(ofEmails emails: [String]) throws -> [String: String]
    /// Returns the UIDs of the users who have these subjects at a provider, by subject.
    func owners(ofSubjects subjects: [String], at provider: String) throws -> [String: String]
}
