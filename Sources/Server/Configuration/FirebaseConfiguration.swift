internal import Accounts
internal import FoundationEssentials
package import Tokens

/// A Firebase project that users were imported from, and the end of the exchange of its ID tokens for sessions.
package struct FirebaseConfiguration: Sendable {
    /// The project's ID.
    package let project: String
    /// The end of the exchange, in milliseconds since 1970: the end of the configured day.
    package let exchangeUntil: Int64
    /// The keys that sign the project's tokens, if the setting `firebase.keysFile` is given; `nil` means the keys that
    /// Google publishes.
    package let keys: VerificationKeys?

    /// The longest time ahead for the end of the exchange, in milliseconds.
    fileprivate static let longestTime: Int64 = 90 * 86_400_000
}

extension Configuration {
    /// The choices of `firebase.onConflict`.
    private enum FirebaseConflict: String, CaseIterable {
        case error, merge
    }

    /// Reads the setting `firebase.onConflict`.
    static func firebaseOnConflict(_ settings: inout Settings) -> OnConflict {
        switch settings.choice("firebase.onConflict", default: FirebaseConflict.error) {
        case .error: .error
        case .merge: .merge
        }
    }

    /// Reads the settings below `firebase`; `nil` if there are none or they cannot be used.
    static func firebase(_ settings: inout Settings, at now: Int64) -> FirebaseConfiguration? {
        let project = settings.string("firebase.project")
        let until = settings.string("firebase.exchangeUntil")
        let file = settings.string("firebase.keysFile")
        guard let project, let until else {
            if project != nil || until != nil || file != nil {
                settings.refuse(
                    "firebase.project",
                    "project and exchangeUntil go together; give both, or omit firebase"
                )
            }
            return nil
        }
        guard let day = CalendarDate(until) else {
            settings.refuse("firebase.exchangeUntil", "must be a date such as 2027-01-31")
            return nil
        }
        if day.startOfDay > now + FirebaseConfiguration.longestTime {
            settings.refuse("firebase.exchangeUntil", "must be at most 90 days ahead")
        }
        var keys: VerificationKeys?
        if let file {
            keys = (try? Data(contentsOf: URL(filePath: file))).flatMap { VerificationKeys(jwks: [UInt8]($0)) }
            if keys?.all.isEmpty != false {
                settings.refuse(
                    "firebase.keysFile",
                    "\(file) must be a readable file that contains a JSON Web Key Set: {\"keys\": […]}"
                )
            }
        }
        return FirebaseConfiguration(project: project, exchangeUntil: day.endOfDay, keys: keys)
    }
}
