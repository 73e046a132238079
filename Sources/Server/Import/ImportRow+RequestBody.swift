internal import Accounts

extension ImportRow {
    /// Reads a user in the format of Identity Toolkit and of the exports of Firebase's tools.
    ///
    /// - Throws: ``RequestError`` if a value has the wrong type or is too long. A time that is not valid counts as
    ///   missing.
    init(_ body: RequestBody) throws {
        self.init()
        uid = try body.string("localId")
        email = try body.string("email")
        isEmailVerified = try body.bool("emailVerified") ?? false
        displayName = try body.string("displayName")
        photoURL = try body.string("photoUrl")
        isDisabled = try body.bool("disabled") ?? false
        // Not limited here, so that claims that are too long fail only this user.
        customAttributes = try body.string("customAttributes", limit: .max)
        createdAt = Self.time(body, "createdAt")
        lastLoginAt = Self.time(body, "lastLoginAt") ?? Self.time(body, "lastSignedInAt")
        lastRefreshAt = (try? body.string("lastRefreshAt")).flatMap { $0 }.flatMap(Timestamp.milliseconds)
        providers = try (body.objects("providerUserInfo") ?? []).map(Provider.init)
        hasPassword = try ["passwordHash", "rawPassword"].contains { try body.nonEmptyString($0, limit: .max) != nil }
        hasPhoneNumber = try body.nonEmptyString("phoneNumber") != nil
        hasSecondFactor = try body.objects("mfaInfo").map { !$0.isEmpty } ?? false
        tenantID = try body.string("tenantId")
    }

    /// Reads a time in milliseconds since 1970, written as a number or a string; `nil` if it is missing or invalid.
    ///
    /// Clients expect an invalid time to count as missing.
    private static func time(_ body: RequestBody, _ name: String) -> Int64? {
        (try? body.int64(name)) ?? nil
    }
}

extension ImportRow.Provider {
    fileprivate init(_ body: RequestBody) throws {
        self.init()
        providerID = try body.string("providerId")
        rawID = try body.string("rawId")
        email = try body.string("email")
        displayName = try body.string("displayName")
        photoURL = try body.string("photoUrl")
        screenName = try body.string("screenName")
    }
}
