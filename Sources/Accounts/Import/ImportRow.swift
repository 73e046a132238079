/// A user as an export file or an administrator's call describes them, before any check; `nil` for what the file or
/// call leaves out.
package struct ImportRow: Sendable {
    /// An identity at a provider.
    package struct Provider: Sendable {
        package var providerID: String?
        package var rawID: String?
        package var email: String?
        package var displayName: String?
        package var photoURL: String?
        package var screenName: String?

        /// Makes an empty identity.
        package init() {}
    }

    package var uid: String?
    package var email: String?
    package var isEmailVerified = false
    package var displayName: String?
    package var photoURL: String?
    package var isDisabled = false
    package var customAttributes: String?
    /// When the user was created in the source system, in milliseconds since 1970.
    package var createdAt: Int64?
    /// When the user last signed in to the source system, in milliseconds since 1970.
    package var lastLoginAt: Int64?
    /// When the user last refreshed a token in the source system, in milliseconds since 1970.
    package var lastRefreshAt: Int64?
    package var providers: [Provider] = []
    package var hasPassword = false
    package var hasPhoneNumber = false
    package var hasSecondFactor = false
    package var tenantID: String?

    /// Makes an empty row.
    package init() {}
}

/// The reason why a row is not imported, in the words that clients of Identity Toolkit know if there are any (contract,
/// 3.11).
package struct ImportFault: Error, Sendable, Hashable {
    package let text: String

    /// Makes a fault from a text that contains nothing of the row.
    package init(_ text: String) {
        self.text = text
    }

    static let missingUID = ImportFault("localId is missing")
    static let invalidUID = ImportFault("localId is invalid")
    static let tenant = ImportFault("Tenant id in userInfo does not match the tenant id in request.")
    static let invalidClaims = ImportFault("Invalid custom claims provided.")
    static let claimsTooLarge = ImportFault("Custom claims provided are too large.")
    static let reservedClaim = ImportFault("Custom claims provided include a reserved claim.")

    /// The fault of an identity without a provider or a subject.
    ///
    /// Firebase's text, `federatedId or (providerId & rawId) is required`, would send the reader to a member that does
    /// not replace the other two here.
    static func incompleteProvider(hasID: Bool) -> ImportFault {
        ImportFault("providerUserInfo: \(hasID ? "rawId" : "providerId") is required")
    }

    static let invalidProvider = ImportFault("providerId is invalid")
    static let rawIDExists = ImportFault("raw id exists in other account in database")
    static let invalidEmail = ImportFault("email is invalid")
    static let emailExists = ImportFault("email exists in other account in database")
    static let uidExists = ImportFault("localId belongs to an existing account - can not overwrite.")
    static let merged = ImportFault(
        "\(Code.duplicateLocalID.rawValue) : localId belongs to a user who was merged into another one."
    )
    static let administrator = ImportFault(
        "\(Code.operationNotAllowed.rawValue) : This user is an administrator; only the administrator's key replaces one."
    )
    static let held = ImportFault(
        "\(Code.mergeInProgress.rawValue) : This user is being merged; try again in a moment."
    )
}

/// The data of a row that an import drops, while it imports the user.
package enum ImportLoss: String, Sendable, CaseIterable {
    case password
    case phoneNumber
    case secondFactor
    /// A second identity at a provider; a user has at most one at each.
    case repeatedProvider
    /// A name or a picture URL that is too long, or contains control characters.
    case profileText

    /// The reason why the data is dropped, as operators read it.
    package var reason: String {
        switch self {
        case .password: "there are no passwords here; these users sign in with an e-mail link"
        case .phoneNumber: "there is no sign-in by phone"
        case .secondFactor: "there are no second factors"
        case .repeatedProvider: "a user has one account at each provider; the last one is kept"
        case .profileText: "a name or a photo URL has more than 1024 bytes, or control characters"
        }
    }
}
