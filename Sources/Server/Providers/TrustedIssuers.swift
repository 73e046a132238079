/// The issuers beside this server whose tokens sign users in, each with the verifier of its tokens.
struct TrustedIssuers: Sendable {
    /// The app's back end, which signs custom tokens.
    let backEnd: CustomTokens
    /// The Firebase project that the users were imported from; `nil` without one.
    let firebase: FirebaseTokens?
    /// The configured identity providers.
    let providers: ProviderTokens

    /// Makes the verifiers without fetching keys.
    ///
    /// - Parameters:
    ///   - configuration: the issuers.
    ///   - clock: milliseconds since 1970, for the age of keys.
    ///   - logger: logs errors.
    init(_ configuration: Configuration, clock: @escaping @Sendable () -> Int64, logger: Log) {
        backEnd = CustomTokens(configuration)
        firebase = configuration.firebase.map { FirebaseTokens($0, configuration, clock: clock, logger: logger) }
        providers = ProviderTokens(configuration, clock: clock, logger: logger)
    }
}
