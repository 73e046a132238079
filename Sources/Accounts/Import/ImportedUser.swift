/// A user to be imported, checked but for the database.
package struct ImportedUser: Sendable {
    package let uid: String
    /// In canonical form.
    let email: String?
    let isEmailVerified: Bool
    let displayName: String?
    let photoURL: String?
    let isDisabled: Bool
    let customAttributes: String?
    let createdAt: Int64?
    let lastLoginAt: Int64?
    /// One for each provider; their `uid` is the user's.
    let identities: [Identity]
    let hasPassword: Bool
    /// Whether there is anything that the user could have signed in with.
    let hasCredential: Bool
    /// What is left behind.
    package let losses: Set<ImportLoss>
    /// What is wrong with the row, but counts only after its identities were found to be free (contract, 3.11).
    let lateFault: ImportFault?

    /// Whether there is anything here that the user can sign in with.
    package var hasWayIn: Bool { email != nil || !identities.isEmpty }

    /// Checks a row.
    ///
    /// - Throws: ``ImportFault``.
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
        hasPassword = row.hasPassword
        if row.hasPassword { losses.insert(.password) }
        if row.hasPhoneNumber { losses.insert(.phoneNumber) }
        if row.hasSecondFactor { losses.insert(.secondFactor) }
        hasCredential =
            row.hasPassword || row.hasPhoneNumber || row.hasSecondFactor || !row.providers.isEmpty
            || row.email ?? "" != ""
        self.losses = losses
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
                throw .incompleteProvider
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

    /// A text of the profile, as a client may set it too; tokens carry it, so it stays short.
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

    /// A moment between 1970 and the year 10 000; what else is given counts as not given.
    private static func time(_ milliseconds: Int64) -> Int64? {
        (0..<253_402_300_800_000).contains(milliseconds) ? milliseconds : nil
    }
}
