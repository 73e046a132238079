/// A call that merges a guest into the user of another ID token, decoded.
package struct MergeRequest: Sendable {
    /// The permanent user's token.
    package let token: PresentedToken
    /// The guest's token.
    package let anonymousToken: PresentedToken
    /// A fresh identifier for the merge, which the caller has drawn.
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
    /// Merges the guest of one ID token into the permanent user of another.
    ///
    /// Both tokens must belong to live sessions, because nothing else proves that the caller is both users. The call
    /// may be repeated until the guest's token expires, and returns the same report. The caller rolls a dry run back.
    ///
    /// - Throws: ``Refusal``, as ``authenticate(_:in:)`` does for either token, or what
    ///   ``merge(_:into:id:isDryRun:in:)`` throws.
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
            throw Refusal(refusal.code, detail: "The refused token is anonymousIdToken.")
        }
        return try merge(guest, into: target, id: request.id, isDryRun: request.isDryRun, in: store)
    }
}
