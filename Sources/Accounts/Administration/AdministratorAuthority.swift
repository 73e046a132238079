/// What authorized an administrator's call.
package enum AdministratorAuthority: Sendable {
    /// The administrator's key, the admin listener, development's `Bearer owner`, or the command line.
    case key
    /// The ID token of a user in `administrators`, which a thief may have stolen.
    case idToken
}
