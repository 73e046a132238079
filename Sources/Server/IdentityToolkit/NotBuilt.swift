internal import HTTPServer

extension Services {
    /// Adds routes for the calls of Identity Toolkit that Latchkey does not implement.
    ///
    /// Each responds with status 501 to every authorized caller.
    ///
    /// Must be called before all other routes are added, because a route that is added later replaces the one of the
    /// same call here.
    func addNotBuilt(to router: inout Router) {
        for (method, path) in Self.notBuilt {
            let handler = authorized { _ in
                throw RequestError.notImplemented("Latchkey does not support \(method) \(path).")
            }
            for prefix in Self.identityToolkitPrefixes {
                router.add(method, "\(prefix)\(path)", cors: true, guarded(handler))
            }
        }
    }

    /// The calls of Identity Toolkit's versions 1 and 2 that respond with 501, such as those about phones, passkeys,
    /// second factors, tenants and providers' settings, and some calls that Latchkey implements, whose routes replace
    /// these.
    static var notBuilt: [(Method, String)] {
        var calls: [(Method, String)] = [
            "issueSamlResponse", "sendVerificationCode", "signInWithGameCenter", "signInWithPhoneNumber",
            "verifyIosClient",
            "signInWithCustomToken",
        ].map { (Method.post, "/v1/accounts:\($0)") }
        calls += [
            (.get, "/v1/publicKeys"), (.get, "/v1/sessionCookiePublicKeys"), (.post, "/v2/accounts:revokeToken"),
            (.get, "/v2/passwordPolicy"), (.get, "/v2/defaultSupportedIdps"),
            (.post, "/v2/accounts/mfaEnrollment:start"), (.post, "/v2/accounts/mfaEnrollment:finalize"),
            (.post, "/v2/accounts/mfaEnrollment:withdraw"), (.post, "/v2/accounts/mfaSignIn:start"),
            (.post, "/v2/accounts/mfaSignIn:finalize"), (.post, "/v2/accounts/passkeyEnrollment:start"),
            (.post, "/v2/accounts/passkeyEnrollment:finalize"), (.post, "/v2/accounts/passkeySignIn:start"),
            (.post, "/v2/accounts/passkeySignIn:finalize"),
            (.post, "/v2/projects/{project}/identityPlatform:initializeAuth"),
        ]
        let project = "/v1/projects/{project}", tenant = "/v1/projects/{project}/tenants/{tenant}"
        calls += users(of: project) + users(of: tenant) + [(.post, "\(project):queryAccounts")]
        calls += providers(of: "/v2/projects/{project}") + providers(of: "/v2/projects/{project}/tenants/{tenant}")
        calls += resource("/v2/projects/{project}/tenants", "tenant")
        for call in ["getIamPolicy", "setIamPolicy", "testIamPermissions"] {
            calls.append((.post, "/v2/projects/{project}/tenants/{tenant}:\(call)"))
        }
        return calls
    }

    /// Administrators' calls on the users of a project or tenant.
    private static func users(of parent: String) -> [(Method, String)] {
        let calls = ["batchCreate", "batchDelete", "delete", "lookup", "query", "sendOobCode", "update"]
        return calls.map { (Method.post, "\(parent)/accounts:\($0)") } + [
            (Method.get, "\(parent)/accounts:batchGet"), (Method.post, "\(parent)/accounts"),
            (Method.post, "\(parent):createSessionCookie"),
        ]
    }

    /// The calls on the settings of identity providers of a project or tenant.
    private static func providers(of parent: String) -> [(Method, String)] {
        ["defaultSupportedIdpConfigs", "inboundSamlConfigs", "oauthIdpConfigs"].flatMap {
            resource("\(parent)/\($0)", "config")
        }
    }

    /// The five calls on a collection of resources: list, create, read, change and delete.
    private static func resource(_ path: String, _ name: String) -> [(Method, String)] {
        [Method.get, .post].map { ($0, path) } + [Method.get, .patch, .delete].map { ($0, "\(path)/{\(name)}") }
    }
}
