/// The action codes of e-mail links.
///
/// A code that is ended counts as used (``StoredActionCode/usedAt``).
package protocol ActionCodeStore {
    func actionCode(_ id: String) throws -> StoredActionCode?
    func insert(_ code: StoredActionCode) throws
    /// Returns the time for a takeover of a user, in milliseconds since 1970: now, or the time of the newest recovery
    /// code, used or not, if that is later.
    func takeoverTime(of uid: String) throws -> Int64
    /// Marks the code with this id as used, unless it has been used or ended before.
    ///
    /// - Returns: whether this call used it; `false` also if there is no such code.
    func useActionCode(_ id: String) throws -> Bool
    /// Ends all unused e-mail links about a user; sign-in links belong to a ticket and not to a user, so they stay.
    func endActionCodes(of uid: String) throws
    /// Ends the e-mail links about a user that have one of these purposes.
    func endActionCodes(of uid: String, for purposes: [ActionPurpose]) throws
    /// Ends the e-mail links about a user, except earlier recovery links and some links in notices of changed sign-in
    /// methods.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - time: milliseconds since 1970; recovery links that were made before stay.
    ///   - email: the address whose notices' links stay, as do those of notices from before `time`; `nil` ends the
    ///     links of all notices.
    func endActionCodes(of uid: String, exceptThoseBefore time: Int64, andNoticesTo email: String?) throws
    /// Ends the e-mail links about a user, except those of one purpose.
    func endActionCodes(of uid: String, sparing purpose: ActionPurpose) throws
    /// Ends the e-mail links about a user that were made up to a time, in milliseconds since 1970.
    func endActionCodes(of uid: String, madeBy time: Int64) throws
}
