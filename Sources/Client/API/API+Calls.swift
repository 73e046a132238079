internal import JSON

extension API {
    /// Creates an anonymous user.
    ///
    /// The request is repeated when its answer is lost. The server returns the user that it created for the same key.
    ///
    /// - Parameter key: 22 to 64 base64url characters that were never sent for another user. A secret.
    func signUp(key: String) async throws(AuthError) -> SignInResponse {
        try await callPaying(
            Call(
                path: "/v1/accounts:signUp",
                body: try Self.encoded(SignUpBody()),
                headers: [HeaderField("Idempotency-Key", key)],
                isRepeatable: true
            )
        )
    }

    /// Requests a sign-in e-mail.
    ///
    /// The request is not repeated when its answer is lost, because a second e-mail would be sent. It is repeated only
    /// with the solution of a proof of work that the server requires.
    func sendLink(_ body: SendLinkBody) async throws(AuthError) -> SendLinkResponse {
        try await callPaying(Call(path: "/v1/accounts:sendOobCode", body: try Self.encoded(inZone(body))))
    }

    /// Redeems an e-mail link.
    ///
    /// With an ID token in the body, the request is repeated when its answer is lost, because the server then returns
    /// the same result. Without an ID token it is not repeated, because the link would count as used.
    func redeem(_ body: EmailLinkBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithEmailLink", inZone(body), repeatable: body.idToken != nil)
    }

    /// Describes the request of a sign-in link without using the link.
    func describe(_ body: SignInLinkBody) async throws(AuthError) -> SignInLinkResponse {
        try await call("/v1/accounts:querySignInLink", body, repeatable: true)
    }

    /// Ends the request of a sign-in link.
    ///
    /// The request is repeated when its answer is lost. The server then answers that the sign-in request has ended.
    func deny(_ body: SignInLinkBody) async throws(AuthError) {
        let _: EmptyResponse = try await call("/v1/accounts:denySignInLink", body, repeatable: true)
    }

    /// Redeems a sign-in code or collects an approved session.
    ///
    /// The request is never repeated, because a wrong code would count twice.
    func redeem(_ body: TicketBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithTicket", inZone(body))
    }

    /// Collects an approved session, in a call that the server holds while the ticket is open (``TicketBody/wait``).
    ///
    /// The request is never repeated here: the caller waits again.
    ///
    /// - Throws: as ``send(_:read:)``; ``AuthError/Code/ticketPending`` from a server that does not hold calls.
    func wait(_ body: TicketBody) async throws(AuthError) -> TicketAnswer {
        let path = "/v1/accounts:signInWithTicket"
        let extraTime = Duration.seconds(body.wait ?? 0)
        let call = Call(path: path, body: try Self.encoded(inZone(body)), extraTime: extraTime)
        return try await send(call) { response -> TicketAnswer? in
            if JSONValue.parse(answer: response.body)?["pending"]?.bool == true {
                return .pending(retryAfter: Self.retryAfter(response))
            }
            let session: SignInResponse? = Self.decoded(response)
            return session.map { .session($0) }
        }
    }

    /// Signs in or links with an identity provider.
    ///
    /// The request is never repeated, because the token may be valid for one sign-in only.
    func signIn(_ body: ProviderBody) async throws(AuthError) -> ProviderResponse {
        try await call("/v1/accounts:signInWithIdp", inZone(body))
    }

    /// Signs in with a custom token.
    ///
    /// The request is repeated when its answer is lost.
    func signIn(_ body: CustomTokenBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithCustomToken", body, repeatable: true)
    }

    /// Reads the user that an ID token belongs to.
    ///
    /// - Parameter repeatable: whether the request is repeated when its answer is lost.
    func lookup(idToken: String, repeatable: Bool = true) async throws(AuthError) -> LookupResponse {
        try await call("/v1/accounts:lookup", IDTokenBody(idToken: idToken), repeatable: repeatable)
    }

    /// Changes the profile of the user that a token belongs to.
    ///
    /// The request is never repeated.
    func update(_ body: UpdateProfileBody) async throws(AuthError) -> UpdateProfileResponse {
        try await call("/v1/accounts:update", inZone(body))
    }

    /// Deletes the user that an ID token belongs to.
    ///
    /// The request is never repeated.
    func delete(idToken: String) async throws(AuthError) {
        let _: EmptyResponse = try await call("/v1/accounts:delete", IDTokenBody(idToken: idToken))
    }

    /// Ends the session of a refresh token.
    func signOut(refreshToken: String) async throws(AuthError) -> SignOutResponse {
        try await call("/v1/accounts:signOut", SignOutBody(refreshToken: refreshToken), repeatable: true)
    }

    /// Exchanges a refresh token for a new ID token and a new refresh token.
    ///
    /// The request is repeated when its answer is lost. For the previous refresh token, the server returns the current
    /// one again until the current one is used.
    func refresh(_ refreshToken: String) async throws(AuthError) -> RefreshResponse {
        let form = "grant_type=refresh_token&refresh_token=" + Self.percentEncoded(refreshToken)
        return try await call(
            Call(
                path: "/v1/token",
                body: Array(form.utf8),
                type: "application/x-www-form-urlencoded",
                isRepeatable: true
            )
        )
    }

    /// Moves an anonymous user's data to another user, or reports what would be moved.
    ///
    /// The request is repeated when its answer is lost. The server returns the report of the completed merge.
    func merge(_ body: MergeBody) async throws(AuthError) -> MergeResponse {
        try await call("/v1/accounts:merge", body, repeatable: true)
    }

    /// Gets a URL of the account page for the user that a token belongs to.
    func accountURL(idToken: String) async throws(AuthError) -> AccountURLResponse {
        try await call("/v1/accounts:createAccountUrl", inZone(AccountURLBody(idToken: idToken)), repeatable: true)
    }

    /// Lists the sessions of the user that a token belongs to.
    func sessions(idToken: String) async throws(AuthError) -> SessionsResponse {
        try await call(
            Call(method: "GET", path: "/v1/sessions", type: nil, bearer: idToken, isRepeatable: true)
        )
    }

    /// Ends a session of the user that a token belongs to.
    func endSession(_ id: String, idToken: String) async throws(AuthError) {
        let call = Call(
            method: "DELETE",
            path: "/v1/sessions/" + Self.percentEncoded(id),
            type: nil,
            bearer: idToken,
            isRepeatable: true
        )
        try await send(call) { _ in () }
    }

    /// Claims a username for the user that a token belongs to, or releases the user's username.
    func setUsername(_ body: UsernameBody, idToken: String) async throws(AuthError) -> UsernameResponse {
        try await call(
            Call(
                path: "/v1/accounts:setUsername",
                body: try Self.encoded(body),
                bearer: idToken,
                isRepeatable: true
            )
        )
    }

    /// Looks up the owner of a username.
    func username(_ name: String, idToken: String) async throws(AuthError) -> UsernameLookupResponse {
        try await call(
            Call(
                method: "GET",
                path: "/v1/usernames/" + Self.percentEncoded(name),
                type: nil,
                bearer: idToken,
                isRepeatable: true
            )
        )
    }

    /// The body with the time zone in which the e-mails and pages that the call leads to write times.
    private func inZone<Body: NamesTimeZone>(_ body: Body) -> Body {
        var body = body
        body.timeZone = configuration.timeZone
        return body
    }
}

/// The body of a call after which the server may send an e-mail or show the account page.
protocol NamesTimeZone {
    var timeZone: String? { get set }
}
