internal import HTTPServer
package import JSON
internal import Mail

/// The description of the API (OpenAPI 3.1): `docs/openapi.json`, embedded.
///
/// The file is written by hand. A test checks that it matches the routes.
package struct APIDescription: Sendable {
    package let document: JSONValue

    /// Makes the description of a server in this mode.
    ///
    /// For production it leaves out the calls marked `x-development`, which have no route there.
    ///
    /// - Returns: `nil` if the embedded file is missing or not a JSON object, which the tests exclude.
    package init?(mode: Configuration.Mode) {
        guard let text = Self.embedded, var document = try? JSONValue.parse(text).object else { return nil }
        if mode == .production {
            if let paths = document["paths"]?.object {
                var answered = JSONObject()
                for (path, item) in paths.members where item["x-development"] == nil { answered.append(path, item) }
                document["paths"] = .object(answered)
            }
            document["x-not-built"] = .array(
                (document["x-not-built"]?.array ?? []).filter { $0["x-development"] == nil }
            )
        }
        self.document = .object(document)
    }

    /// The response with the description for a mode, made once per process, when it is first needed; 404 if the embedded
    /// file is missing or not a JSON object.
    static func response(mode: Configuration.Mode) -> Response {
        switch mode {
        case .development: development
        case .production: production
        }
    }

    private static let development = makeResponse(mode: .development)
    private static let production = makeResponse(mode: .production)

    private static func makeResponse(mode: Configuration.Mode) -> Response {
        guard let description = APIDescription(mode: mode) else { return Response(status: 404) }
        return Response.json(description.document.serialized()).prepared()
    }

    private static var embedded: [UInt8]? { EmbeddedFiles.below("docs/")["openapi.json"] }
}

extension Services {
    /// Adds the routes of the API's description, which web pages of any origin may read: `/openapi.json`, and in
    /// development also `/emulator/openapi.json`.
    func addDescription(to router: inout Router) {
        let mode = configuration.mode
        var paths = ["/openapi.json"]
        // The path at which clients of the emulator expect it (contract, 3.13).
        if mode == .development { paths.append("/emulator/openapi.json") }
        for path in paths {
            router.add(.get, path, isPublished: true, guarded { _ in .response(APIDescription.response(mode: mode)) })
        }
    }
}
