internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:update`: changes the caller's profile, or applies the code of an e-mail (contract, 3.5).
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

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let body = try services.body(of: call)
        try Self.refuseUnknownChanges(body)
        let code = try body.nonEmptyString("oobCode")
        guard try code != nil || body.nonEmptyString("idToken", limit: 16_384) != nil else {
            throw Refusal(.invalidRequestType, detail: "Unsupported request parameters.")
        }
        if body.has("customAttributes") { throw services.insufficientPermission(nil, call.request) }
        if let code {
            let channel = ActionCodeChannel.call(try services.presentedToken(body))
            return .code(try actionCode(code), channel, try services.noticeOpening(for: call.request, body))
        }
        var update = try services.profileUpdate(body, call.request)
        update.revokesTokens = body.has("validSince")
        guard let token = try services.presentedToken(body) else { throw Refusal(.invalidIDToken) }
        if body.has("disableUser") || body.has("linkProviderUserInfo") {
            update.refusal = Refusal(
                .operationNotAllowed,
                detail: "Only an administrator disables users and links by name; link with accounts:signInWithIdp."
            )
        } else if try body.nonEmptyString("password") != nil {
            update.refusal = Refusal.noPasswords
        }
        return .profile(
            update,
            token,
            try services.opening(for: call.request),
            try services.noticeOpening(for: call.request, body)
        )
    }

    /// Refuses the members `provider` and `upgradeToFederatedLogin`, whose changes Latchkey does not offer (contract,
    /// 3.5).
    ///
    /// - Throws: ``RequestError`` `notImplemented`.
    static func refuseUnknownChanges(_ body: RequestBody) throws {
        if body.has("provider") || body.has("upgradeToFederatedLogin") {
            throw RequestError.notImplemented("Latchkey does not support this change.")
        }
    }

    private func actionCode(_ text: String) throws -> ActionCode {
        let code = try services.actionCode(text)
        guard code.purpose != .emailSignIn else {
            throw RequestError.notImplemented("Redeem a sign-in link with accounts:signInWithEmailLink.")
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

    func committed(_ outcome: Outcome, of call: CallContext) {
        switch outcome {
        case .profile(let updated, let update):
            // Notices go to an address that was changed or removed, and to the user of an unlinked provider.
            if updated.session != nil || updated.user.email == nil || !update.deletedProviders.isEmpty {
                services.wake.mailWorkers()
            }
            // A changed address or a revocation ended the other sessions.
            if updated.session != nil { services.changes.ended(updated.user.uid) }
            services.changes.hint(.updated, to: updated.user.uid)
        case .code(let applied): services.announce(applied)
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 1536)
        json.beginObject()
        json.member("kind", "identitytoolkit#SetAccountInfoResponse")
        switch outcome {
        case .profile(let updated, let update):
            json.changedMembers(of: updated.user, updated.identities, after: update)
            if let session = updated.session {
                try services.writeTokens(
                    of: session,
                    user: updated.user,
                    identities: updated.identities,
                    to: &json
                )
            }
        case .code(let applied):
            if applied.isContest {
                // The account is not the caller's, so the response reveals only that it is contested.
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
    /// Writes the members of a user after a change (contract, 3.5).
    ///
    /// If the change unlinks a provider, `providerUserInfo` is written even if it is empty.
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
    /// Decodes a change of the profile members that users may change themselves (contract, 3.5).
    ///
    /// An invalid e-mail address is not thrown but becomes the refusal of the change, because errors of the ID token
    /// come first.
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
            default: throw RequestError.notImplemented("Latchkey cannot delete this attribute.")
            }
        }
        update.displayName = try profileText(body, "displayName")
        update.photoURL = try profileText(body, "photoUrl")
        update.deletedProviders = try body.strings("deleteProvider")
        update.locale = locale(of: request)
        update.timeZone = try timeZone(in: body)
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

    /// Reads a text of the profile; `nil` if it is not given.
    ///
    /// - Throws: ``Refusal`` INVALID_PROFILE for a text with control characters or of more than 1024 bytes,
    ///   ``RequestError``.
    func profileText(_ body: RequestBody, _ name: String) throws -> String? {
        guard let text = try body.string(name) else { return nil }
        guard ProfileText.isAcceptable(text) else {
            throw Refusal(.invalidProfile, detail: "\(name) must have at most 1024 bytes and no control characters.")
        }
        return text
    }
}
