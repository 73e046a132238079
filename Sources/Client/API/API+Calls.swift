extension API {
    /// Makes an anonymous user.
    ///
    /// Repeated when the answer is lost: the server answers the user that it made for the same key.
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

    /// Asks for a sign-in mail.
    ///
    /// Never repeated: a second mail would be sent.
    func sendLink(_ body: SendLinkBody) async throws(AuthError) -> SendLinkResponse {
        try await callPaying(Call(path: "/v1/accounts:sendOobCode", body: try Self.encoded(body)))
    }

    /// Redeems a link.
    ///
    /// With a session the server answers a repetition with the same result; without one the link would count as used.
    func redeem(_ body: EmailLinkBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithEmailLink", body, repeatable: body.idToken != nil)
    }

    /// Redeems a sign-in code or collects an approved session.
    ///
    /// Never repeated: a wrong code would count twice.
    func redeem(_ body: TicketBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithTicket", body)
    }

    /// Signs in by an identity provider, or links.
    ///
    /// Never repeated: the token may be good for one sign-in only.
    func signIn(_ body: ProviderBody) async throws(AuthError) -> ProviderResponse {
        try await call("/v1/accounts:signInWithIdp", body)
    }

    /// Signs in by a custom token.
    func signIn(_ body: CustomTokenBody) async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signInWithCustomToken", body, repeatable: true)
    }

    /// Reads the user that a token belongs to.
    func lookup(idToken: String, repeatable: Bool = true) async throws(AuthError) -> LookupResponse {
        try await call("/v1/accounts:lookup", IDTokenBody(idToken: idToken), repeatable: repeatable)
    }

    /// Changes the profile.
    func update(_ body: UpdateProfileBody) async throws(AuthError) -> UpdateProfileResponse {
        try await call("/v1/accounts:update", body)
    }

    /// Deletes the user that a token belongs to.
    func delete(idToken: String) async throws(AuthError) {
        let _: EmptyResponse = try await call("/v1/accounts:delete", IDTokenBody(idToken: idToken))
    }

    /// Ends a session.
    func signOut(refreshToken: String) async throws(AuthError) -> SignOutResponse {
        try await call("/v1/accounts:signOut", SignOutBody(refreshToken: refreshToken), repeatable: true)
    }

    /// Exchanges a refresh token.
    ///
    /// Repeated when the answer is lost: the server answers the token before the current one with the current one again
    /// until that was used.
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

    /// Moves what an anonymous user has to another one, or tells what would be moved.
    ///
    /// Repeated when the answer is lost: the server answers the report of the merge that was made.
    func merge(_ body: MergeBody) async throws(AuthError) -> MergeResponse {
        try await call("/v1/accounts:merge", body, repeatable: true)
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

    /// Claims a username, or gives the present one back.
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

    /// Asks who has a username.
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
}
