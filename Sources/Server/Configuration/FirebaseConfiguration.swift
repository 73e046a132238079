internal import Accounts
internal import FoundationEssentials
package import Tokens

/// A Firebase project that users came from, and until when its ID tokens are exchanged for sessions.
package struct FirebaseConfiguration: Sendable {
    /// Its project id.
    package let project: String
    /// The first moment at which no token is exchanged any more.
    ///
    /// Milliseconds since 1970.
    package let exchangeUntil: Int64
    /// Who signs its tokens, where a file says so; `nil`: Google's keys at their URL.
    package let keys: VerificationKeys?

    /// The longest time ahead that tokens may be exchanged, in milliseconds.
    fileprivate static let longestTime: Int64 = 90 * 86_400_000
}

extension Configuration {
    /// Reads `firebase`; `nil` where nothing is to be exchanged.
    static func firebase(_ settings: inout Settings, at now: Int64) -> FirebaseConfiguration? {
        let project = settings.string("firebase.project")
        let until = settings.string("firebase.exchangeUntil")
        let file = settings.string("firebase.keysFile")
        guard let project, let until else {
            if project != nil || until != nil || file != nil {
                settings.refuse(
                    "firebase.project",
                    "project and exchangeUntil go together; give both, or nothing of firebase"
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
                    "\(file) must be a readable file that holds a JSON Web Key Set: {\"keys\": […]}"
                )
            }
        }
        return FirebaseConfiguration(project: project, exchangeUntil: day.endOfDay, keys: keys)
    }
}
