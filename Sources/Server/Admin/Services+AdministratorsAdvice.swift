internal import Accounts
internal import HTTPServer
internal import JSON

extension Services {
    /// Whether only administrators may make a call: below a project, or by one of the old names of such calls.
    func isForAdministrators(_ request: Request) -> Bool {
        request.parameters["project"] != nil || Self.legacyProjectPaths.contains(request.path)
    }

    /// Says what an administrator has to send: in production to the caller, in development in the log, because tests of
    /// apps may compare Firebase's texts.
    ///
    /// - Returns: a sentence; `nil` in development.
    func adviceForAdministrators(_ request: Request) -> String? {
        guard configuration.mode == .production else {
            sampler(
                "administrator.missing",
                detail: "This call needs Authorization: Bearer owner; in production, the administrator's key.",
                beside: ("path", .string(String(request.path.prefix(200))))
            )
            return nil
        }
        return request.listener == .admin
            ? "This call needs Authorization: Bearer owner."
            : "This call needs Authorization: Bearer with the administrator's key."
    }

    /// Makes the refusal of a caller that is no administrator.
    ///
    /// - Parameters:
    ///   - sentence: Firebase's text, which follows the code; `nil` if Firebase sends the code alone.
    ///   - request: the refused request.
    func insufficientPermission(_ sentence: String?, _ request: Request) -> Refusal {
        let texts = [sentence, adviceForAdministrators(request)].compactMap(\.self)
        return Refusal(.insufficientPermission, detail: texts.isEmpty ? nil : texts.joined(separator: " "))
    }
}
