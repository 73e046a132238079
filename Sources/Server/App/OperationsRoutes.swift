internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

extension Services {
    /// Adds the routes of health checks, public keys, OpenID discovery and the files that link apps to the domain.
    func addOperations(to router: inout Router) {
        let ok = Response.json([UInt8](#"{"status":"ok"}"#.utf8)).prepared()
        router.add(.get, "/healthz", cors: false) { _ in .response(ok) }
        router.add(.get, "/readyz", cors: false) { [readiness] _ in .response(readiness.response) }
        router.add(.get, "/.well-known/jwks.json", isPublished: true, guarded(jwks))
        router.add(
            .get,
            "/.well-known/openid-configuration",
            isPublished: true,
            guarded { _ in
                self.explainIssuer()
                return .response(self.discoveryDocument())
            }
        )
        let apple = appleAppSiteAssociation().prepared()
        router.add(.get, "/.well-known/apple-app-site-association", cors: false, guarded { _ in .response(apple) })
        addTextFiles(to: &router)
        let android = assetLinks().prepared()
        router.add(.get, "/.well-known/assetlinks.json", cors: false, guarded { _ in .response(android) })
    }

    private func jwks(_ request: Request) -> Handling {
        var response = Response.json(idTokens.keySet.jwks)
        response.headers.append((name: "Cache-Control", value: "public, max-age=\(SigningKeys.publishedLife / 1000)"))
        return .response(response)
    }

    /// Logs once why some libraries refuse the discovery document: OpenID Connect Discovery 1.0, section 4.3, requires
    /// that its issuer is the URL from which it was read.
    private func explainIssuer() {
        guard idTokens.issuer != publicURL else { return }
        once(
            "issuer.differs",
            of: idTokens.issuer,
            ("issuer", .string(idTokens.issuer)),
            ("url", .string(publicURL)),
            (
                "detail",
                .string(
                    "openid-client, go-oidc's NewProvider and Spring's issuer-uri refuse this discovery document. "
                        + "Set issuer to the url to use them; Firebase's Admin SDKs then refuse ID tokens."
                )
            )
        )
    }

    /// The document that verifiers of ID tokens read (OpenID Connect Discovery 1.0, section 3).
    private func discoveryDocument() -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("issuer", idTokens.issuer)
        json.member("jwks_uri", "\(publicURL)/.well-known/jwks.json")
        json.member("response_types_supported", JSONValue.array(["id_token"]))
        json.member("subject_types_supported", JSONValue.array(["public"]))
        json.member("id_token_signing_alg_values_supported", JSONValue.array(["ES256", "EdDSA", "RS256"]))
        json.member(
            "claims_supported",
            JSONValue.array(["iss", "aud", "sub", "iat", "exp", "auth_time", "email", "email_verified", "name", "sid"])
        )
        json.endObject()
        return cached(.json(json.bytes))
    }

    /// The file that lets e-mail links open the operator's app on Apple's systems (universal links).
    private func appleAppSiteAssociation() -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("applinks")
        json.beginArray("details")
        if !configuration.appleAppIDs.isEmpty {
            json.beginObject()
            json.member("appIDs", JSONValue.array(configuration.appleAppIDs.map { .string($0) }))
            json.beginArray("components")
            json.element(["/": "/auth/action"] as JSONValue)
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endObject()
        return cached(.json(json.bytes))
    }

    /// The file that lets e-mail links open the operator's app on Android (Digital Asset Links).
    private func assetLinks() -> Response {
        var json = JSONWriter()
        json.beginArray()
        for app in configuration.androidApps {
            json.beginObject()
            json.member("relation", JSONValue.array(["delegate_permission/common.handle_all_urls"]))
            json.beginObject("target")
            json.member("namespace", "android_app")
            json.member("package_name", app.package)
            json.member("sha256_cert_fingerprints", JSONValue.array(app.fingerprints.map { .string($0) }))
            json.endObject()
            json.endObject()
        }
        json.endArray()
        return cached(.json(json.bytes))
    }

    private func cached(_ response: Response) -> Response {
        var response = response
        response.headers.append((name: "Cache-Control", value: "public, max-age=3600"))
        return response
    }
}
