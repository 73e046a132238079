internal import Accounts
internal import FoundationEssentials
package import Tokens

/// A Firebase project that users were imported from, and the end of the exchange of its ID tokens for sessions.
package struct FirebaseConfiguration: Sendable {
    /// The project's ID.
    package let project: String
    /// The end of the exchange, in milliseconds since 1970: the end of the configured day.
    ///
    /// A reload replaces it.
    package var exchangeUntil: Int64
    /// The keys that sign the project's tokens, if the setting `firebase.keysFile` is given; `nil` means the keys that
    /// Google publishes.
    package let keys: VerificationKeys?
    /// The project's API keys, with which clients may have calls forwarded and sessions moved; empty if only the
    /// exchange is on, without a move (``FirebaseMove``).
    package let apiKeys: [String]
    /// A URL that replaces Google's hosts, in development only; `nil` for Google's.
    package let upstream: String?
    /// The maximum number of questions to Firebase in a second, from all networks together.
    package let asksPerSecond: Int

    /// The `iss` of the project's ID tokens.
    package var issuer: String { "https://securetoken.google.com/\(project)" }

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
        let apiKeys = settings.strings("firebase.apiKeys")
        let upstream = settings.string("firebase.upstream").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        let asksPerSecond = settings.integer("firebase.asksPerSecond", in: 1...10_000, default: 200)
        guard let project, let until else {
            if project != nil || until != nil || file != nil || upstream != nil || !apiKeys.isEmpty {
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
        if let upstream, Origin(upstream) == nil {
            settings.refuse("firebase.upstream", "must be scheme, host and port only, such as http://127.0.0.1:9100")
        }
        return FirebaseConfiguration(
            project: project,
            exchangeUntil: day.endOfDay,
            keys: keys,
            apiKeys: apiKeys,
            upstream: upstream,
            asksPerSecond: asksPerSecond
        )
    }

    /// Records problems with the settings of a move from Firebase.
    func checkFirebase(_ settings: inout Settings) {
        if mode == .production, settings.isGiven("firebase.upstream") {
            settings.refuse("firebase.upstream", "is for development only; in production Google's hosts are asked")
        }
        guard let firebase, !firebase.apiKeys.isEmpty else { return }
        if tokenIssuer == firebase.issuer {
            settings.refuse(
                "firebase.project",
                "\(firebase.issuer) is this server's own issuer, so its tokens could not be told from Firebase's; "
                    + "set projectID or issuer to another one"
            )
        }
    }
}
