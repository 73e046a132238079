internal import HTTPServer
package import JSON
internal import Resources

/// The description of the API (OpenAPI 3.1): `docs/openapi.json`, embedded.
///
/// It is written by hand; a test compares it with the routes, both ways.
package struct APIDescription: Sendable {
    package let document: JSONValue

    /// What a server in this mode answers.
    ///
    /// What is marked `x-development` is left out in production, where nothing answers there.
    ///
    /// - Returns: `nil` where the binary holds no JSON object, which the tests would have seen.
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

    /// What a server in this mode answers, as it is sent: rendered once for all servers of the process.
    static func rendered(mode: Configuration.Mode) -> [UInt8]? { rendered[mode] }

    private static let rendered: [Configuration.Mode: [UInt8]] = Configuration.Mode.allCases.reduce(into: [:]) {
        $0[$1] = APIDescription(mode: $1)?.document.serialized()
    }

    private static var embedded: [UInt8]? {
        var count = 0
        guard let files = unsafe latchkey_resources(&count) else { return nil }
        for index in 0..<count {
            let file = unsafe files[index]
            guard unsafe String(cString: file.path) == "docs/openapi.json" else { continue }
            return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        }
        return nil
    }
}

extension Services {
    /// Serves the description, to web pages too.
    func addDescription(to router: inout Router) {
        guard let description = APIDescription.rendered(mode: configuration.mode) else { return }
        let response = Response.json(description).prepared()
        var paths = ["/openapi.json"]
        // Where clients of the emulator look for it (contract, 3.13).
        if configuration.mode == .development { paths.append("/emulator/openapi.json") }
        for path in paths {
            router.add(.get, path, isPublished: true, guarded { _ in .response(response) })
        }
    }
}
