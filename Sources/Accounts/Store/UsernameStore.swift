/// The usernames of users.
package protocol UsernameStore {
    /// Returns the user's username as they spell it; `nil` if they have none.
    func username(of uid: String) throws -> String?
    /// Returns the owner of a username, whichever case it is spelled in; `nil` if no user has it.
    func holder(of username: Username) throws -> UsernameHolder?
    /// Gives the user a username, in place of their previous one; the caller has made sure that no other user has it.
    func setUsername(_ username: Username, of uid: String) throws
    func releaseUsername(of uid: String) throws
}
