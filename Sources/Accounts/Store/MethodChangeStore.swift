/// The recorded changes of users' identities, which the link of a notice or the recovery of an address can revert.
package protocol MethodChangeStore {
    /// Returns the user's identities with the times at which they were linked.
    func linkedIdentities(of uid: String) throws -> [LinkedIdentity]
    /// Deletes an identity of its user; does nothing if the user has another one or none at the provider by now.
    func deleteIdentity(_ identity: Identity) throws
    /// Restores an identity of its user with its earlier time of linking, in place of any that the user has at the same
    /// provider.
    ///
    /// The caller has made sure that no other user has (provider, subject).
    func restore(_ method: LinkedIdentity) throws
    /// Records a change of a user's identities.
    func insert(_ change: MethodChange) throws
    /// Returns the recorded changes of a user's identities, the earliest first.
    func methodChanges(of uid: String) throws -> [MethodChange]
    /// Deletes the recorded removals of an identity from its user, so that nothing restores it; recorded additions
    /// stay.
    func forgetRemovals(of identity: Identity) throws
}
