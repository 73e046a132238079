internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:update`: changes the caller's profile, or applies the code of a mail (contract, 3.5).
struct Update: WritingEndpoint {
    enum Input: Sendable {
        case profile(ProfileUpdate, PresentedToken, SessionOpening, MailIDs)
        case code(ActionCode, MailIDs)
    }

    enum Outcome: Sendable {
        case profile(UpdatedProfile)
        case code(AppliedAction)
    }

    let services: Services

    private static let attributes = [
        "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD",
        "RAW_USER_INFO",
    ]

    func decode(_ request: Request) throws -> Input {
        let body = try services.body(of: request)
        if let code = try body.nonEmptyString("oobCode") {
            let actionCode = try services.actionCode(code)
            guard actionCode.purpose != .emailSignIn else {
                throw RequestError.notImplemented("A sign-in link is redeemed by accounts:signInWithEmailLink.")
            }
            return .code(actionCode, try MailIDs())
        }
        guard try body.nonEmptyString("idToken", limit: 16_384) != nil else {
            throw Refusal(.invalidRequestType, detail: "Unsupported request parameters.")
        }
        try refuseWhatClientsMayNot(body)
        guard let token = try services.presentedToken(body) else { throw Refusal(.invalidIDToken) }
        return .profile(
            try profile(body, request),
            token,
            SessionOpening(sid: try TokenID.random().text, rotates: services.rotates(request)),
            try MailIDs()
        )
    }

    private func refuseWhatClientsMayNot(_ body: RequestBody) throws {
        if body.has("customAttributes") { throw Refusal(.insufficientPermission) }
        if body.has("disableUser") || body.has("linkProviderUserInfo") { throw Refusal(.operationNotAllowed) }
        if body.has("provider") || body.has("upgradeToFederatedLogin") {
            throw RequestError.notImplemented("This change is not one that Latchkey makes.")
        }
        if try body.nonEmptyString("password") != nil { throw Refusal(.operationNotAllowed) }
    }

    private func profile(_ body: RequestBody, _ request: Request) throws -> ProfileUpdate {
        var update = ProfileUpdate()
        update.displayName = try text(body, "displayName")
        update.photoURL = try text(body, "photoUrl")
        update.email = try body.nonEmptyString("email").map { try services.address($0) }
        update.deletedProviders = try body.strings("deleteProvider")
        update.revokesTokens = body.has("validSince")
        update.locale = services.locale(of: request)
        for attribute in try body.words("deleteAttribute", of: Self.attributes) {
            switch attribute {
            case "DISPLAY_NAME": update.deletesDisplayName = true
            case "PHOTO_URL": update.deletesPhotoURL = true
            case "EMAIL": update.deletesEmail = true
            case "PASSWORD": break
            default: throw RequestError.notImplemented("This attribute is not one that Latchkey deletes.")
            }
        }
        return update
    }

    private func text(_ body: RequestBody, _ name: String) throws -> String? {
        guard let text = try body.string(name) else { return nil }
        guard ProfileText.isAcceptable(text) else {
            throw Refusal(.invalidProfile, detail: "\(name) must have at most 1024 bytes and no control characters.")
        }
        return text
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .profile(let update, let token, let opening, let notice):
            .profile(
                try services.flows.updateProfile(update, of: token, opening: opening, notice: notice, in: transaction)
            )
        case .code(let code, let notice):
            .code(try services.flows.applyActionCode(code, notice: notice, in: transaction))
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 1536)
        json.beginObject()
        json.member("kind", "identitytoolkit#SetAccountInfoResponse")
        switch outcome {
        case .profile(let updated):
            writeUser(updated.user, updated.identities, to: &json)
            if let session = updated.session {
                // A changed address, which also sends a notice, or a revocation: the other sessions are over.
                services.changes.ended(updated.user.uid)
                services.mailQueued()
                try services.writeTokens(
                    of: session,
                    user: updated.user,
                    identities: updated.identities,
                    to: &json
                )
            }
        case .code(let applied):
            services.mailQueued()
            services.changes.ended(applied.user.uid)
            services.log("email.applied", uid: applied.user.uid, isAnonymous: false)
            writeUser(applied.user, applied.identities, to: &json)
            if applied.purpose == .verifyAndChangeEmail { json.member("newEmail", applied.email) }
        }
        json.endObject()
        return .json(json.bytes)
    }

    private func writeUser(_ user: User, _ identities: [Identity], to json: inout JSONWriter) {
        json.member("localId", user.uid)
        json.member("email", user.email)
        json.member("emailVerified", user.emailVerifiedAt != nil)
        json.member("displayName", user.displayName)
        json.member("photoUrl", user.photoURL)
        json.providerUserInfo(of: user, identities: identities)
    }
}
