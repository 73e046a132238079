internal import Mail

/// The texts that the server inserts into pages as values; the raw value is the key in the strings files.
enum PageText: String, CaseIterable {
    case deviceUnknown, accountUnknown
    case approveDigitsFormat, otherRequests, otherRequestsApprove, meetsAccount
    case openInAppHint
    case revertChangeAdded, revertChangeRemoved, revertChangeNotRestored
    case errorTitle, errorMessage
    case badLinkTitle, badLinkMessage
    case lockedTitle, lockedMessage
    case operatorOnlyTitle, operatorOnlyMessage
    case addressTakenTitle, addressTakenMessage
    case tooManyTitle, tooManyMessage
    case accountGuestNotice, accountGuestName, accountUnnamed, accountUnproven
    case accountMethodEmail, accountMethodCustom, accountSessionCurrent
    case accountSignInEnded, accountSignInOver, accountSignInNone, accountSignInFromApp
    case accountInboxWrong, accountInboxWait
    case accountStaleTitle, accountStaleMessage
    case accountTakenTitle, accountTakenMessage
    case accountBadAddressTitle
    case accountKeptTitle, accountKeptMessage

    /// Compiles the text in a language.
    ///
    /// - Throws: `TemplateError` if it is missing or uses another placeholder than the app's name.
    func template(_ strings: Strings) throws(TemplateError) -> Template {
        guard let entry = strings[rawValue] else {
            throw TemplateError(file: "Templates/strings/en.json", line: nil, reason: "'\(rawValue)' is missing")
        }
        return try Template(rawValue, entry, format: .text, placeholders: ["appName"])
    }
}

/// A page that only tells something, by its title and its message.
enum PageMessage {
    case error, badLink, locked, operatorOnly, addressTaken, tooMany
    case accountStale, accountTaken, accountBadAddress, accountKept

    var title: PageText {
        switch self {
        case .error: .errorTitle
        case .badLink: .badLinkTitle
        case .locked: .lockedTitle
        case .operatorOnly: .operatorOnlyTitle
        case .addressTaken: .addressTakenTitle
        case .tooMany: .tooManyTitle
        case .accountStale: .accountStaleTitle
        case .accountTaken: .accountTakenTitle
        case .accountBadAddress: .accountBadAddressTitle
        case .accountKept: .accountKeptTitle
        }
    }

    var message: PageText {
        switch self {
        case .error: .errorMessage
        case .badLink: .badLinkMessage
        case .locked: .lockedMessage
        case .operatorOnly: .operatorOnlyMessage
        case .addressTaken: .addressTakenMessage
        case .tooMany: .tooManyMessage
        case .accountStale: .accountStaleMessage
        case .accountTaken: .accountTakenMessage
        case .accountBadAddress: .accountStaleMessage
        case .accountKept: .accountKeptMessage
        }
    }
}
