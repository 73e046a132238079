/// A call that merges a guest into the user of another ID token, decoded.
package struct MergeRequest: Sendable {
    /// The permanent user's token.
    package let token: PresentedToken
    /// The guest's token.
    package let anonymousToken: PresentedToken
    /// A fresh identifier.
    package let id: String
    package let isDryRun: Bool

    /// Makes a request from its decoded parts.
    package init(token: PresentedToken, anonymousToken: PresentedToken, id: String, isDryRun: Bool) {
        self.token = token
        self.anonymousToken = anonymousToken
        self.id = id
        self.isDryRun = isDryRun
    }
}

extension AccountFlows {
    /// Merges a guest into a user who signed in first.
    ///
    /// Both tokens stand for sessions that are alive: nothing else proves that the caller is both. The call may be repeated
    /// until the guest's token expires, and answers the same report. The caller rolls a dry run back.
    ///
    /// - Throws: ``Refusal``, as ``authenticate(_:in:)`` does for either token and ``checkMerge(of:into:by:)``; or
    ///   ``MergeBlocked``.
    package func merge(_ request: MergeRequest, in store: some AccountStore) throws -> Merged {
        let target = try authenticate(request.token, in: store).user
        let guest: User
        do {
            guest = try authenticate(request.anonymousToken, in: store).user
        } catch let refusal as Refusal {
            if !request.anonymousToken.isExpired,
                let merge = try store.committedMerge(of: request.anonymousToken.uid),
                let repeated = Merged(repeating: merge, for: target)
            {
                return repeated
            }
            throw Refusal(refusal.code, detail: "This is about anonymousIdToken.")
        }
        return try merge(guest, into: target, id: request.id, isDryRun: request.isDryRun, in: store)
    }
}
