/// A user as somebody else wrote it down, before anything of it is believed.
package struct ImportRow: Sendable {
    /// A way in at an identity provider.
    package struct Provider: Sendable {
        package var providerID: String?
        package var rawID: String?
        package var email: String?
        package var displayName: String?
        package var photoURL: String?
        package var screenName: String?

        /// A way in that says nothing yet.
        package init() {}
    }

    package var uid: String?
    package var email: String?
    package var isEmailVerified = false
    package var displayName: String?
    package var photoURL: String?
    package var isDisabled = false
    package var customAttributes: String?
    /// Milliseconds since 1970.
    package var createdAt: Int64?
    /// Milliseconds since 1970.
    package var lastLoginAt: Int64?
    package var providers: [Provider] = []
    package var hasPassword = false
    package var hasPhoneNumber = false
    package var hasSecondFactor = false
    package var tenantID: String?

    /// A row that says nothing yet.
    package init() {}
}

/// Why a row is not imported, in the words that clients of Identity Toolkit know (contract, 3.11).
package struct ImportFault: Error, Sendable, Hashable {
    package let text: String

    /// Makes a fault of a text that holds nothing of the row.
    package init(_ text: String) {
        self.text = text
    }

    static let missingUID = ImportFault("localId is missing")
    static let invalidUID = ImportFault("localId is invalid")
    static let tenant = ImportFault("Tenant id in userInfo does not match the tenant id in request.")
    static let invalidClaims = ImportFault("Invalid custom claims provided.")
    static let claimsTooLarge = ImportFault("Custom claims provided are too large.")
    static let reservedClaim = ImportFault("Custom claims provided include a reserved claim.")
    static let incompleteProvider = ImportFault("federatedId or (providerId & rawId) is required")
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

/// What an import leaves behind of a user whom it takes.
package enum ImportLoss: String, Sendable, CaseIterable {
    case password
    case phoneNumber
    case secondFactor
    /// A second way in at a provider where the user has one already.
    case repeatedProvider
    /// A name or the address of a picture that is too long, or holds control characters.
    case profileText

    /// Why, for operators.
    package var reason: String {
        switch self {
        case .password: "there are no passwords here; these users sign in by a mailed link"
        case .phoneNumber: "there is no sign-in by phone"
        case .secondFactor: "there are no second factors"
        case .repeatedProvider: "a user has one way in at each provider; the last one stays"
        case .profileText: "a name or a picture's address has more than 1024 bytes, or control characters"
        }
    }
}
