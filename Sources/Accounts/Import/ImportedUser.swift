/// A user to import, checked as far as possible without the database.
package struct ImportedUser: Sendable {
    package let uid: String
    /// The canonical address; `nil` if the row has none, or an invalid one (``lateFault``).
    private(set) var email: String?
    let isEmailVerified: Bool
    let displayName: String?
    let photoURL: String?
    let isDisabled: Bool
    let customAttributes: String?
    let createdAt: Int64?
    let lastLoginAt: Int64?
    /// When the user last refreshed a token in the source system, in milliseconds since 1970, if the row says so.
    let lastRefreshAt: Int64?
    /// The user's identities, at most one at each provider: of several in the row, the last.
    private(set) var identities: [Identity]
    let hasPassword: Bool
    /// Whether the row has anything that the user could have signed in with at the source system.
    let hasCredential: Bool
    /// The kinds of data in the row that the import drops.
    package let losses: Set<ImportLoss>
    /// A fault of the row's address, which is reported only after the row's identities were found to be free (contract,
    /// 3.11).
    let lateFault: ImportFault?

    /// Whether the row gives the user a way to sign in to this server: an address or an identity.
    package var hasWayIn: Bool { email != nil || !identities.isEmpty }

    /// Checks a row of an import as far as possible without the database.
    ///
    /// - Throws: ``ImportFault``; an invalid address is not thrown but kept as ``lateFault``.
    package init(_ row: ImportRow) throws(ImportFault) {
        guard let uid = row.uid, !uid.isEmpty else { throw .missingUID }
        guard UserID.isAllowed(uid) else { throw .invalidUID }
        guard row.tenantID ?? "" == "" else { throw .tenant }
        var losses: Set<ImportLoss> = []
        self.uid = uid
        customAttributes = try Self.claims(row.customAttributes)
        identities = try Self.identities(of: row, uid: uid, &losses)
        (email, lateFault) = Self.address(row.email)
        isEmailVerified = row.isEmailVerified
        displayName = Self.profileText(row.displayName, &losses)
        photoURL = Self.profileText(row.photoURL, &losses)
        isDisabled = row.isDisabled
        createdAt = row.createdAt.flatMap(Self.time)
        lastLoginAt = row.lastLoginAt.flatMap(Self.time)
        lastRefreshAt = row.lastRefreshAt.flatMap(Self.time)
        hasPassword = row.hasPassword
        if row.hasPassword { losses.insert(.password) }
        if row.hasPhoneNumber { losses.insert(.phoneNumber) }
        if row.hasSecondFactor { losses.insert(.secondFactor) }
        hasCredential =
            row.hasPassword || row.hasPhoneNumber || row.hasSecondFactor || !row.providers.isEmpty
            || row.email ?? "" != ""
        self.losses = losses
    }

    /// Returns the user without the address, and without identities that a condition does not keep.
    func without(email removesEmail: Bool, keeping keeps: (Identity) throws -> Bool) rethrows -> ImportedUser {
        var user = self
        if removesEmail { user.email = nil }
        user.identities = try identities.filter(keeps)
        return user
    }

    private static func claims(_ text: String?) throws(ImportFault) -> String? {
        guard let text, !text.isEmpty else { return nil }
        do {
            try CustomClaims.check(text)
        } catch {
            switch (error as? Refusal)?.code {
            case .claimsTooLarge: throw .claimsTooLarge
            case .forbiddenClaim: throw .reservedClaim
            default: throw .invalidClaims
            }
        }
        return text
    }

    private static func identities(
        of row: ImportRow,
        uid: String,
        _ losses: inout Set<ImportLoss>
    ) throws(ImportFault) -> [Identity] {
        var identities: [Identity] = []
        for provider in row.providers where provider.providerID != "password" && provider.providerID != "phone" {
            guard let id = provider.providerID, let subject = provider.rawID, !id.isEmpty, !subject.isEmpty else {
                throw ImportFault.incompleteProvider(hasID: provider.providerID ?? "" != "")
            }
            guard id.utf8.count <= 128, id.utf8.allSatisfy(isNameByte), !Identity.reservedProviders.contains(id),
                subject.utf8.count <= 1024
            else { throw .invalidProvider }
            if let index = identities.firstIndex(where: { $0.provider == id }) {
                identities.remove(at: index)
                losses.insert(.repeatedProvider)
            }
            identities.append(
                Identity(
                    uid: uid,
                    provider: id,
                    subject: subject,
                    email: provider.email.flatMap { try? EmailAddress(parsing: $0).canonical },
                    displayName: profileText(provider.displayName, &losses),
                    photoURL: profileText(provider.photoURL, &losses),
                    screenName: profileText(provider.screenName, &losses)
                )
            )
        }
        return identities
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func address(_ text: String?) -> (String?, ImportFault?) {
        guard let text, !text.isEmpty else { return (nil, nil) }
        guard let address = try? EmailAddress(parsing: text) else { return (nil, .invalidEmail) }
        return (address.canonical, nil)
    }

    /// Returns a name or picture URL; `nil` if it is missing or breaks the limits for clients, which is recorded as a
    /// loss.
    private static func profileText(_ text: String?, _ losses: inout Set<ImportLoss>) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= 1024,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
                || !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            losses.insert(.profileText)
            return nil
        }
        return text
    }

    /// Returns a time in milliseconds since 1970 unchanged if it is from 1970 on and before the year 10,000; `nil` for
    /// any other.
    private static func time(_ milliseconds: Int64) -> Int64? {
        (0..<253_402_300_800_000).contains(milliseconds) ? milliseconds : nil
    }
}
