/// What nodes on one database tell one another: that something has happened which is worth a look before its time.
///
/// A hint and never the truth: it may come late, twice or not at all, and whoever needs to know looks now and then anyway.
package enum News: Hashable, Sendable {
    /// Documents of the user have changed, or one of their sessions has ended, or they have.
    case user(String)
    /// A mail waits to be sent.
    case mail
    /// A message to a hook waits to be sent.
    case hooks
    /// Nobody could be heard for a while: anything may have happened.
    case anything
}
