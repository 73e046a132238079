internal import Accounts
internal import HTTPServer
internal import JSON

extension Services {
    /// What SDKs may ask about the project before anybody signs in (contract, 3.15).
    func addClientConfig(to router: inout Router) {
        let answers = [
            ("/v1/projects", project), ("/v1/recaptchaParams", recaptchaParameters),
            ("/v2/recaptchaConfig", recaptchaConfig),
        ]
        for prefix in Self.identityToolkitPrefixes {
            for (path, answer) in answers {
                let prepared = answer.prepared()
                let handler: Handler = { request in
                    _ = try self.caller(of: request)
                    return .response(prepared)
                }
                router.add(.get, "\(prefix)\(path)", cors: true, guarded(handler))
            }
        }
    }

    /// The project's number, which nobody reads but everybody expects, and where sign-ins may lead.
    private var project: Response {
        var hosts = configuration.allowedOrigins
        if hosts.isEmpty { hosts = [configuration.publicURL ?? "http://localhost"] }
        var domains: [JSONValue] = []
        for case let origin? in hosts.map({ Origin($0) }) where !domains.contains(.string(origin.host)) {
            domains.append(.string(origin.host))
        }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("projectId", "12345")
        json.member("authorizedDomains", JSONValue.array(domains))
        json.endObject()
        return .json(json.bytes)
    }

    /// Nothing asks for a reCAPTCHA.
    private var recaptchaConfig: Response {
        .json(Array(#"{"recaptchaEnforcementState":[]}"#.utf8))
    }

    /// Values of the shape that SDKs expect; no reCAPTCHA is behind them, since there is no sign-in by telephone.
    private var recaptchaParameters: Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#GetRecaptchaParamResponse")
        json.member(
            "recaptchaStoken",
            "This-is-a-fake-token__Dont-send-this-to-the-Recaptcha-service__Latchkey-does-not-use-Recaptcha"
        )
        json.member("recaptchaSiteKey", "Fake-key__Do-not-send-this-to-Recaptcha_")
        json.endObject()
        return .json(json.bytes)
    }

    /// Password sign-in does not exist; it is refused in the order that clients know.
    func signInWithPassword(_ request: Request) throws -> Handling {
        let body = try body(of: request)
        guard try body.nonEmptyString("email") != nil else { throw Refusal(.missingEmail) }
        guard try body.nonEmptyString("password") != nil else { throw Refusal(.missingPassword) }
        throw Refusal(.operationNotAllowed)
    }
}
