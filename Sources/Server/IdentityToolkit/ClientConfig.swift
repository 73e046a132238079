internal import Accounts
internal import HTTPServer
internal import JSON

extension Services {
    /// Adds the calls by which SDKs read the project's settings before a sign-in (contract, 3.15).
    func addClientConfig(to router: inout Router) {
        let answers = [
            ("/v1/projects", project), ("/v1/recaptchaParams", recaptchaParameters),
            ("/v2/recaptchaConfig", recaptchaConfig),
        ]
        for prefix in Self.identityToolkitPrefixes {
            for (path, answer) in answers {
                let prepared = answer.prepared()
                let handler = authorized { _ in .response(prepared) }
                router.add(.get, "\(prefix)\(path)", cors: true, guarded(forwarding(.reading(path), handler)))
            }
        }
    }

    /// The response of `/v1/projects`: the project's number, which SDKs expect but do not use, and the hosts of the
    /// configured origins for continue URLs; without these, the public URL's host or `localhost`.
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

    /// The response of `/v2/recaptchaConfig`: no provider requires reCAPTCHA.
    ///
    /// The web SDK throws without a key, of which it takes the part after the third slash.
    private var recaptchaConfig: Response {
        let states = ["EMAIL_PASSWORD_PROVIDER", "PHONE_PROVIDER"].map { provider in
            ["provider": .string(provider), "enforcementState": "OFF"] as JSONValue
        }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("recaptchaKey", "projects/\(configuration.projectID)/keys/none")
        json.member("recaptchaEnforcementState", JSONValue.array(states))
        json.endObject()
        return .json(json.bytes)
    }

    /// The response of `/v1/recaptchaParams`: placeholders in the format that SDKs expect.
    ///
    /// Latchkey does not use reCAPTCHA.
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

    /// Refuses password sign-in, which does not exist, with the errors in the order that clients expect.
    ///
    /// - Throws: ``Refusal`` MISSING_EMAIL, MISSING_PASSWORD, otherwise OPERATION_NOT_ALLOWED; ``RequestError`` for the
    ///   body.
    func signInWithPassword(_ call: AuthorizedRequest) throws -> Handling {
        let body = try body(of: call)
        guard try body.nonEmptyString("email") != nil else { throw Refusal(.missingEmail) }
        guard try body.nonEmptyString("password") != nil else { throw Refusal(.missingPassword) }
        throw Refusal.noPasswords
    }
}
