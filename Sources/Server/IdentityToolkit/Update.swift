internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:update`: changes the caller's profile, or applies the code of a mail (contract, 3.5).
struct Update: WritingEndpoint {
    enum Input: Sendable {
        case profile(ProfileUpdate, PresentedToken, SessionOpening, NoticeOpening)
        case code(ActionCode, ActionCodeChannel, NoticeOpening)
    }

    enum Outcome: Sendable {
        case profile(UpdatedProfile, ProfileUpdate)
        case code(AppliedAction)
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try services.body(of: request)
        try Self.refuseUnknownChanges(body)
        let code = try body.nonEmptyString("oobCode")
        guard try code != nil || body.nonEmptyString("idToken", limit: 16_384) != nil else {
            throw Refusal(.invalidRequestType, detail: "Unsupported request parameters.")
        }
        if body.has("customAttributes") { throw Refusal(.insufficientPermission) }
        if let code {
            let channel = ActionCodeChannel.call(try services.presentedToken(body))
            return .code(try actionCode(code), channel, try services.noticeOpening(for: request))
        }
        var update = try services.profileUpdate(body, request)
        update.revokesTokens = body.has("validSince")
        guard let token = try services.presentedToken(body) else { throw Refusal(.invalidIDToken) }
        if try body.has("disableUser") || body.has("linkProviderUserInfo") || body.nonEmptyString("password") != nil {
            update.refusal = Refusal(.operationNotAllowed)
        }
        return .profile(
            update,
            token,
            try services.opening(for: request),
            try services.noticeOpening(for: request)
        )
    }

    /// Refuses changes that nobody may make here (contract, 3.5).
    static func refuseUnknownChanges(_ body: RequestBody) throws {
        if body.has("provider") || body.has("upgradeToFederatedLogin") {
            throw RequestError.notImplemented("This change is not one that Latchkey makes.")
        }
    }

    private func actionCode(_ text: String) throws -> ActionCode {
        let code = try services.actionCode(text)
        guard code.purpose != .emailSignIn else {
            throw RequestError.notImplemented("A sign-in link is redeemed by accounts:signInWithEmailLink.")
        }
        return code
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .profile(let update, let token, let opening, let notice):
            .profile(
                try services.flows.updateProfile(update, of: token, opening: opening, notice: notice, in: transaction),
                update
            )
        case .code(let code, let channel, let notice):
            .code(try services.flows.applyActionCode(code, by: channel, notice: notice, in: transaction))
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 1536)
        json.beginObject()
        json.member("kind", "identitytoolkit#SetAccountInfoResponse")
        switch outcome {
        case .profile(let updated, let update):
            json.changedMembers(of: updated.user, updated.identities, after: update)
            // A changed address, or one that is gone, hears of it, and so does the address of a user who unlinks a provider.
            if updated.session != nil || updated.user.email == nil || !update.deletedProviders.isEmpty {
                services.mailQueued()
            }
            if let session = updated.session {
                // A changed address or a revocation: the other sessions are over.
                services.changes.ended(updated.user.uid)
                try services.writeTokens(
                    of: session,
                    user: updated.user,
                    identities: updated.identities,
                    to: &json
                )
            }
        case .code(let applied):
            services.announce(applied)
            if applied.isContest {
                // The account is not the caller's: nothing of it but that it is contested.
                json.member("localId", applied.user.uid)
                json.member("contested", true)
                break
            }
            json.changedMembers(of: applied.user, applied.identities, after: ProfileUpdate())
            if applied.purpose == .verifyAndChangeEmail { json.member("newEmail", applied.email) }
        }
        json.endObject()
        return .json(json.bytes)
    }
}

extension JSONWriter {
    /// Writes a user after a change (contract, 3.5); who unlinks a provider is told what is left, even if it is nothing.
    mutating func changedMembers(of user: User, _ identities: [Identity], after update: ProfileUpdate) {
        member("localId", user.uid)
        if let email = user.email {
            member("email", email)
            member("emailVerified", user.emailVerifiedAt != nil)
        }
        member("displayName", user.displayName)
        member("photoUrl", user.photoURL)
        providerUserInfo(of: user, identities: identities, evenIfEmpty: !update.deletedProviders.isEmpty)
    }
}

extension Services {
    /// Reads a change of what users may change of their own (contract, 3.5).
    ///
    /// - Throws: ``Refusal`` INVALID_PROFILE, ``RequestError``.
    func profileUpdate(_ body: RequestBody, _ request: Request) throws -> ProfileUpdate {
        var update = ProfileUpdate()
        for attribute in try body.words("deleteAttribute", of: Self.attributes) {
            switch attribute {
            case "DISPLAY_NAME": update.deletesDisplayName = true
            case "PHOTO_URL": update.deletesPhotoURL = true
            case "EMAIL": update.deletesEmail = true
            case "PASSWORD", "USER_ATTRIBUTE_NAME_UNSPECIFIED": break
            default: throw RequestError.notImplemented("This attribute is not one that Latchkey deletes.")
            }
        }
        update.displayName = try profileText(body, "displayName")
        update.photoURL = try profileText(body, "photoUrl")
        update.deletedProviders = try body.strings("deleteProvider")
        update.locale = locale(of: request)
        do {
            update.email = try body.nonEmptyString("email").map(address)
        } catch let refusal as Refusal {
            update.refusal = refusal
        }
        return update
    }

    private static let attributes = [
        "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD",
        "RAW_USER_INFO",
    ]

    /// A text of the profile; control characters have no business there, and tokens carry it, so it stays short.
    func profileText(_ body: RequestBody, _ name: String) throws -> String? {
        guard let text = try body.string(name) else { return nil }
        guard ProfileText.isAcceptable(text) else {
            throw Refusal(.invalidProfile, detail: "\(name) must have at most 1024 bytes and no control characters.")
        }
        return text
    }
}
