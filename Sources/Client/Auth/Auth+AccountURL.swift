#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Auth {
    /// Returns a URL of the server's account page, on which the signed-in user manages the account in a browser.
    ///
    /// The URL opens the page once, within a minute. Open it at once, and do not log it: until it is used, it opens the
    /// account.
    ///
    /// - Throws: ``AuthError/Code/operationNotAllowed`` if the operator has not switched the page on, and as
    ///   ``reload()``.
    public func accountURL() async throws(AuthError) -> URL {
        try await withToken { token async throws(AuthError) in
            let text = try await self.api.accountURL(idToken: token).url
            guard let url = URL(string: text) else {
                throw AuthError(.networkRequestFailed, detail: "the server sent an invalid URL")
            }
            return url
        }
    }
}
