extension API {
    /// Makes an anonymous user.
    ///
    /// Never repeated: a second one would be made.
    func signUp() async throws(AuthError) -> SignInResponse {
        try await call("/v1/accounts:signUp", SignUpBody())
    }

    /// Asks for a sign-in mail.
    ///
    /// Never repeated: a second mail would be sent.
    func sendLink(_ body: SendLinkBody) async throws(AuthError) -> SendLinkResponse {
        try await call("/v1/accounts:sendOobCode", body)
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
        let form = "grant_type=refresh_token&refresh_token=" + Self.formEncoded(refreshToken)
        return try await call(
            "/v1/token",
            Array(form.utf8),
            type: "application/x-www-form-urlencoded",
            repeatable: true
        )
    }

    private static func formEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
