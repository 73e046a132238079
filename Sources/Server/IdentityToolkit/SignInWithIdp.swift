internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:signInWithIdp`: signs in with the token of an identity provider, or links it (contract, 3.8).
struct SignInWithIdp: AwaitingEndpoint {
    struct Input: Sendable {
        let signIn: ProviderSignIn
        let answer: ProviderAnswer
        /// Whether a conflict is reported with status 200 and the provider's data, as the client requested, and not as
        /// an error.
        let returnsCredential: Bool
    }

    struct Outcome: Sendable {
        let result: ProviderOutcome
        let answer: ProviderAnswer
        let returnsCredential: Bool
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Decoded<Input> {
        let body = try services.body(of: call)
        if try body.bool("returnRefreshToken") == true || body.nonEmptyString("pendingIdToken", limit: 16_384) != nil {
            throw RequestError.notImplemented("Latchkey keeps no tokens of identity providers.")
        }
        let parameters = try ProviderParameters(body)
        let provider = try provider(of: parameters)
        let presented = try body.nonEmptyString("idToken", limit: 16_384)
        guard !provider.hasPrefix("saml.") else {
            throw Refusal(.operationNotAllowed, detail: "There is no SAML here; use an OIDC provider (oidc.*).")
        }
        let onConflict = try services.onConflict(body, of: call.request)
        let returnsCredential = try body.bool("returnIdpCredential") ?? false
        let opening = try services.opening(for: call.request, namesClient: true)
        let notice = try services.noticeOpening(for: call.request, body)

        let complete: @Sendable (ProviderClaims) throws -> Input = { [services] claims in
            let assertion = ProviderAssertion(claims, of: provider)
            return Input(
                signIn: ProviderSignIn(
                    assertion: assertion,
                    token: try presented.map { try services.idTokens.verify($0, at: services.clock() / 1000) },
                    onConflict: onConflict,
                    uid: try UID.random(),
                    opening: opening,
                    notice: notice,
                    mergeID: try TokenID.random().text
                ),
                answer: ProviderAnswer(
                    assertion: assertion,
                    claims: claims.all,
                    accessToken: parameters["access_token"] ?? services.madeUpAccessToken(of: provider),
                    idToken: parameters["id_token"]
                ),
                returnsCredential: returnsCredential
            )
        }
        switch try verdict(on: parameters, of: provider) {
        // The signature of the provider's token has been verified.
        case .known(let claims): return .complete(try Refusal.ofValid { try complete(claims) })
        case .awaitingKeys(let check):
            return .awaiting {
                let claims = try await check()
                return try Refusal.ofValid { try complete(claims) }
            }
        }
    }

    /// Sign-in methods that are not identity providers, and names that tokens use for other purposes.
    private static let reserved: Set = ["anonymous", "custom", "email", "emaillink", "firebase", "password", "phone"]

    private func provider(of parameters: ProviderParameters) throws -> String {
        guard let provider = parameters["providerId"]?.lowercased(), provider.utf8.count <= 128,
            provider.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !Self.reserved.contains(provider)
        else {
            throw Refusal(
                .invalidCredentialOrProviderID,
                detail: "Invalid IdP response/credential: there is no providerId that names an identity provider."
            )
        }
        return provider
    }

    /// Checks the provider's token, as far as possible without fetching keys.
    ///
    /// In development, tokens are believed without a check.
    ///
    /// - Throws: ``RequestError`` if there is no token that Latchkey accepts; in development ``Refusal``
    ///   INVALID_IDP_RESPONSE, in production what ``ProviderTokens/check(_:of:nonce:at:)`` throws.
    private func verdict(on parameters: ProviderParameters, of provider: String) throws -> ProviderVerdict {
        let idToken = parameters["id_token"]
        if services.configuration.mode == .development {
            let claims =
                try idToken.flatMap { try ProviderClaims(insecurelyBelieving: $0) }
                ?? parameters["access_token"].flatMap { try ProviderClaims(insecurelyBelieving: $0) }
            if let claims {
                services.recordUnconfigured(provider)
                return .known(claims)
            }
            if idToken != nil {
                throw Refusal(.invalidIdPResponse, detail: "Unable to parse id_token.")
            }
        } else if let idToken {
            return try services.issuers.providers.check(
                idToken,
                of: provider,
                nonce: parameters["nonce"],
                at: services.clock() / 1000
            )
        }
        throw RequestError.notImplemented("Latchkey accepts only an id_token of \(provider).")
    }

    func runsAlone(_ input: Input) -> Bool { input.signIn.onConflict != .error && services.mergesRunAlone }

    func inputAfterConstraint(_ input: Input) throws -> Input? {
        guard input.signIn.onConflict != .error else { return nil }
        throw services.failedMerge()
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        Outcome(
            result: try services.flows.signIn(input.signIn, in: transaction),
            answer: input.answer,
            returnsCredential: input.returnsCredential
        )
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        guard case .signedIn(let signedIn, _) = outcome.result else { return }
        let assertion = outcome.answer.assertion
        let provesOwnEmail = assertion.provesEmail && signedIn.user.email == assertion.email
        services.signIns.record(signedIn, remembersClient: provesOwnEmail)
        services.announce(signedIn.merged)
        // Linking ends the user's earlier sessions; so does signing in to an account whose address was never verified.
        services.changes.ended(signedIn.user.uid)
        if signedIn.linked || signedIn.hasNotice { services.changes.hint(.updated, to: signedIn.user.uid) }
        let event = signedIn.linked ? "user.linked" : signedIn.isNewUser ? "user.created" : "user.signed-in"
        services.log(event, signedIn)
        if signedIn.hasNotice { services.wake.mailWorkers() }
    }

    func render(_ outcome: Outcome) throws -> Response {
        let answer = outcome.answer
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        switch outcome.result {
        case .conflict(let code):
            guard outcome.returnsCredential else { throw Refusal(code) }
            answer.write(to: &json, isEmailVerified: answer.assertion.isEmailVerified)
            json.member("errorMessage", code.rawValue)
        case .needsConfirmation(let uid, let providers):
            answer.write(to: &json, isEmailVerified: answer.assertion.isEmailVerified)
            json.member("needConfirmation", true)
            json.member("localId", uid)
            if let providers {
                json.beginArray("verifiedProvider")
                for provider in providers { json.element(provider) }
                json.endArray()
            }
        case .signedIn(let signedIn, let isEmailRecycled):
            let user = signedIn.user
            let isOwnEmail = user.email == answer.assertion.email
            let isVerified = isOwnEmail ? user.emailVerifiedAt != nil : answer.assertion.isEmailVerified
            answer.write(to: &json, isEmailVerified: isVerified)
            json.member("localId", user.uid)
            if signedIn.isNewUser { json.member("isNewUser", true) }
            if isEmailRecycled { json.member("emailRecycled", true) }
            json.members(of: signedIn.merged)
            try services.writeTokens(
                of: signedIn.session,
                user: user,
                identities: signedIn.identities,
                to: &json
            )
        }
        json.endObject()
        return .json(json.bytes)
    }
}

extension Services {
    /// Logs once that production would refuse a provider whose tokens development believes.
    fileprivate func recordUnconfigured(_ provider: String) {
        guard !configuration.providers.contains(where: { $0.id == provider }) else { return }
        let isPossible = Configuration.isProvider(provider)
        once(
            "provider.unconfigured",
            of: provider,
            ("provider", .string(provider)),
            (
                "detail",
                isPossible
                    ? "Development believes every token. Production refuses this provider unless the setting providers has it."
                    : "Development believes every token. Production knows google.com, apple.com and oidc.* only."
            )
        )
    }

    /// The placeholder that stands in the response for an access token that the client did not send.
    fileprivate func madeUpAccessToken(of provider: String) -> String {
        let name = configuration.mode == .development ? "FirebaseAuthEmulatorFakeAccessToken" : "NoAccessToken"
        return "\(name)_\(provider)"
    }
}
