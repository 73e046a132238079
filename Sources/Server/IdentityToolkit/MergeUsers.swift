internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:merge`: moves a guest's data to the user of another ID token, and deletes the guest.
///
/// With `dryRun`, the transaction is rolled back, and the response only reports what the merge would do.
struct MergeUsers: WritingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> MergeRequest {
        let body = try services.body(of: call)
        guard let token = try services.presentedToken(body) else { throw Refusal(.missingIDToken) }
        guard let anonymousToken = try services.presentedToken(body, named: "anonymousIdToken") else {
            throw Refusal(.missingAnonymousIDToken)
        }
        let isDryRun = try body.bool("dryRun") ?? false
        if isDryRun { try services.limiters.dryRuns.use(call.request.clientAddress, at: services.clock()) }
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
        // The report of a dry run includes errors of enqueued changes, so their results must arrive before the
        // rollback.
        try transaction.flush()
        throw RolledBack(outcome: merged)
    }

    func committed(_ merged: Merged, of call: CallContext) {
        services.announce(merged)
    }

    func render(_ merged: Merged) throws -> Response {
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
    /// Writes the members `merged` and `mergeReport` of a sign-in's response; nothing without a merge.
    mutating func members(of merged: Merged?) {
        guard let merged else { return }
        member("merged", true)
        member("mergeReport", rawJSON: merged.report.utf8)
    }
}

extension Services {
    /// Logs a merge that violated a constraint for which no table could be blamed, and returns the refusal
    /// MERGE_FAILED.
    ///
    /// If the table is known, the merge throws ``MergeBlocked`` instead.
    func failedMerge() -> Refusal {
        metrics.count(.failed)
        logger("merge.failed", ("outcome", "failed"))
        return Refusal(.mergeFailed)
    }

    /// Logs a committed merge, and notifies the change streams of both users.
    ///
    /// Does nothing without a merge, or if the same merge was announced before.
    func announce(_ merged: Merged?) {
        guard let merged, !merged.isRepeated else { return }
        metrics.count(.done)
        metrics.countUser("user.merged", isAnonymous: true)
        changes.ended(merged.guestUID)
        changes.changed(merged.user.uid)
        changes.hint(.merged, to: merged.user.uid)
        logger(
            "user.merged",
            ("uid", .string(merged.guestUID)),
            ("is_anon", true),
            ("into", .string(merged.user.uid)),
            ("outcome", "done")
        )
    }
}
