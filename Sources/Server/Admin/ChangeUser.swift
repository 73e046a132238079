internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts:update`: changes a user for an administrator (contract, 3.5).
struct ChangeUser: WritingEndpoint {
    struct Input: Sendable {
        let uid: String
        let update: UserUpdate
        let notice: NoticeOpening
        let actor: AuditActor
    }

    struct Outcome: Sendable {
        let changed: UpdatedProfile
        let update: UserUpdate
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let (body, actor) = try services.administratorsCall(of: call, changing: true)
        try Update.refuseUnknownChanges(body)
        guard let uid = try body.nonEmptyString("localId") else { throw Refusal(.missingLocalID) }
        var update = UserUpdate()
        if let claims = try body.string("customAttributes") {
            update.givesClaims = try !claims.isEmpty && CustomClaims.check(claims)
            update.customAttributes = claims
        }
        update.profile = try services.profileUpdate(body, call.request)
        update.isEmailVerified = try body.bool("emailVerified")
        update.isDisabled = try body.bool("disableUser")
        update.validSince = try body.time("validSince", unitsPerSecond: 1)
        update.createdAt = try body.time("createdAt", unitsPerSecond: 1000)
        update.lastLoginAt = try body.time("lastLoginAt", unitsPerSecond: 1000)
        try services.refusePasswordsAndPhones(body)
        do {
            update.identity = try body.object("linkProviderUserInfo").map(identity)
        } catch let refusal as Refusal {
            update.profile.refusal = update.profile.refusal ?? refusal
        }
        return Input(
            uid: uid,
            update: update,
            notice: try services.noticeOpening(for: call.request, body),
            actor: actor
        )
    }

    private func identity(_ body: RequestBody) throws -> Identity {
        guard let provider = try body.nonEmptyString("providerId", limit: 128) else {
            throw Refusal(.missingProviderID)
        }
        guard let subject = try body.nonEmptyString("rawId", limit: 1024) else { throw Refusal(.missingRawID) }
        guard !Identity.reservedProviders.contains(provider) else {
            throw Refusal(.invalidProviderID, detail: "\(provider) is not the name of an identity provider.")
        }
        return Identity(
            uid: "",
            provider: provider,
            subject: subject,
            email: try body.string("email", limit: 1024),
            displayName: try services.profileText(body, "displayName"),
            photoURL: try services.profileText(body, "photoUrl"),
            screenName: try services.profileText(body, "screenName")
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            changed: try services.flows.acting(as: input.actor).update(
                input.update,
                of: input.uid,
                notice: input.notice,
                in: transaction
            ),
            update: input.update
        )
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        let user = outcome.changed.user
        services.wake.mailWorkers()
        services.changes.ended(user.uid)
        services.changes.hint(.updated, to: user.uid)
        services.log("user.changed", uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-administrator")
    }

    func render(_ outcome: Outcome) throws -> Response {
        let user = outcome.changed.user
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("kind", "identitytoolkit#SetAccountInfoResponse")
        json.changedMembers(of: user, outcome.changed.identities, after: outcome.update.profile)
        json.endObject()
        return .json(json.bytes)
    }
}
