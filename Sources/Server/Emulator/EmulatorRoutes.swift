internal import Accounts
internal import HTTPServer
internal import JSON

extension Services {
    /// Adds the helper calls of the Firebase Auth emulator, so that test suites for it run (contract, 3.13 and 3.14).
    ///
    /// They require no key, reveal valid codes and delete all data, so they exist in development only.
    func addEmulator(to router: inout Router) {
        guard configuration.mode == .development else { return }
        let project = "/emulator/v1/projects/{project}"
        let helpers: [(Method, String, Handler)] = [
            (.get, "\(project)/oobCodes", handler(ListActionCodes(services: self))),
            (.get, "\(project)/verificationCodes", noVerificationCodes),
            (.get, "\(project)/config", handler(ReadEmulatorConfig(services: self))),
            (.patch, "\(project)/config", handler(ChangeEmulatorConfig(services: self))),
            (.delete, "\(project)/accounts", deleteAccounts),
            (.delete, "\(project)/state", deleteState),
            (.get, EmulatorAction.path, handler(EmulatorAction(services: self))),
            (.post, EmulatorAction.path, handler(ApplyEmulatorAction(services: self))),
            (.get, "/emulator/auth/handler", signInWidget),
            (.get, "/emulator/auth/iframe", signInWidget),
        ]
        for (method, path, handler) in helpers { router.add(method, path, cors: true, guarded(handler)) }
    }

    /// The root in development: the emulator's status for programs, a page for people.
    func developmentRoot(page: @escaping @Sendable () -> Response) -> Handler {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.beginObject("authEmulator")
        json.member("ready", true)
        json.member("apiSpec", "/emulator/openapi.json")
        json.endObject()
        json.endObject()
        let ready = json.bytes
        return { request in
            let wantsPage = request.header("accept")?.contains("text/html") == true
            var response = wantsPage ? page() : .json(ready)
            response.headers.append((name: "Vary", value: "Accept"))
            return .response(response)
        }
    }

    /// Returns an empty list of codes sent by SMS, which this server never sends.
    private func noVerificationCodes(_ request: Request) -> Handling {
        .response(.json([UInt8](#"{"verificationCodes":[]}"#.utf8)))
    }

    /// Refuses the pages with which the emulator simulates an identity provider.
    private func signInWidget(_ request: Request) throws -> Handling {
        throw RequestError.notImplemented(
            "Latchkey does not emulate identity providers; give accounts:signInWithIdp a token, which may be unsigned in development."
        )
    }
}
