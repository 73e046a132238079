internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:merge`: moves what a guest has to the user of another ID token, and deletes the guest.
struct MergeUsers: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> MergeRequest {
        let body = try services.body(of: request)
        guard let token = try services.presentedToken(body) else { throw Refusal(.missingIDToken) }
        guard let anonymousToken = try services.presentedToken(body, named: "anonymousIdToken") else {
            throw Refusal(.missingAnonymousIDToken)
        }
        let isDryRun = try body.bool("dryRun") ?? false
        if isDryRun { try services.dryRunLimiter.use(request.clientAddress, at: services.clock()) }
        return MergeRequest(
            token: token,
            anonymousToken: anonymousToken,
            id: try TokenID.random().text,
            isDryRun: isDryRun
        )
    }

    func runsAlone(_ input: MergeRequest) -> Bool { services.mergesRunAlone }

    func inputAfterConstraint(_ input: MergeRequest) throws -> MergeRequest? { throw services.failedMerge() }

    func transact(_ input: MergeRequest, in transaction: Transaction) throws -> Merged {
        let merged = try services.flows.merge(input, in: transaction)
        guard merged.isDryRun else { return merged }
        // What a dry run tells is what the merge did, before it is taken back; what the engine has not said yet is part of it.
        try transaction.settle()
        throw RolledBack(outcome: merged)
    }

    func render(_ merged: Merged) throws -> Response {
        services.announce(merged)
        var json = JSONWriter(capacity: 256 + merged.report.utf8.count)
        json.beginObject()
        json.member("kind", "identitytoolkit#MergeResponse")
        json.member("localId", merged.user.uid)
        json.member("report", rawJSON: merged.report.utf8)
        json.endObject()
        return .json(json.bytes)
    }
}

extension JSONWriter {
    /// Writes what a sign-in says of the merge that it led to.
    mutating func members(of merged: Merged?) {
        guard let merged else { return }
        member("merged", true)
        member("mergeReport", rawJSON: merged.report.utf8)
    }
}

extension Services {
    /// What a merge comes to that keys, checks or triggers of the operator's own tables do not allow.
    func failedMerge() -> Refusal {
        logger("merge.failed", ("outcome", "failed"))
        return Refusal(.mergeFailed)
    }

    /// Logs a merge, once, and tells those who listen to either user.
    func announce(_ merged: Merged?) {
        guard let merged, !merged.isRepeated, !merged.isDryRun else { return }
        changes.ended(merged.guestUID)
        changes.changed(merged.user.uid)
        logger(
            "user.merged",
            ("uid", .string(merged.guestUID)),
            ("is_anon", true),
            ("into", .string(merged.user.uid)),
            ("outcome", "done")
        )
    }
}
