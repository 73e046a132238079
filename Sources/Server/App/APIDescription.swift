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

    /// The description for a mode as JSON text, rendered once per process; `nil` if the embedded file is missing or not
    /// a JSON object.
    static func rendered(mode: Configuration.Mode) -> [UInt8]? { rendered[mode] }

    private static let rendered: [Configuration.Mode: [UInt8]] = Configuration.Mode.allCases.reduce(into: [:]) {
        $0[$1] = APIDescription(mode: $1)?.document.serialized()
    }

    private static var embedded: [UInt8]? { EmbeddedFiles.below("docs/")["openapi.json"] }
}

extension Services {
    /// Adds the routes of the API's description, which web pages of any origin may read: `/openapi.json`, and in
    /// development also `/emulator/openapi.json`.
    func addDescription(to router: inout Router) {
        guard let description = APIDescription.rendered(mode: configuration.mode) else { return }
        let response = Response.json(description).prepared()
        var paths = ["/openapi.json"]
        // The path at which clients of the emulator expect it (contract, 3.13).
        if configuration.mode == .development { paths.append("/emulator/openapi.json") }
        for path in paths {
            router.add(.get, path, isPublished: true, guarded { _ in .response(response) })
        }
    }
}
