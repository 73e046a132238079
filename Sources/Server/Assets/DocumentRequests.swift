internal import Accounts
internal import HTTPServer
internal import JSON

extension Request {
    /// The document that the path names.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT_NAME.
    var documentName: DocumentName {
        get throws {
            try DocumentName(collection: parameters["collection"] ?? "", id: parameters["id"] ?? "")
        }
    }

    /// What `If-Match` and `If-None-Match` ask for.
    ///
    /// - Throws: ``RequestError`` for what is neither `*` nor a list of entity tags: a precondition that went unheeded
    ///   would cost somebody's changes.
    var documentPrecondition: DocumentPrecondition {
        get throws {
            DocumentPrecondition(match: try versions("If-Match"), noneMatch: try versions("If-None-Match"))
        }
    }

    private func versions(_ name: String) throws -> DocumentPrecondition.Versions? {
        let fields = headers(name)
        guard !fields.isEmpty else { return nil }
        guard let versions = EntityTags.versions(fields.joined(separator: ","), weakly: name == "If-None-Match") else {
            throw RequestError.invalidHeader("\(name) must be * or a list of entity tags, such as \"17\".")
        }
        return versions
    }
}

/// Entity tags (RFC 9110, section 8.8.3): the version of a document in quotes.
enum EntityTags {
    /// The tag of a version.
    static func tag(_ version: Int64) -> String { "\"\(version)\"" }

    /// Reads `*` or a list of tags.
    ///
    /// - Parameters:
    ///   - text: the header's value.
    ///   - isWeak: whether a weak tag is as good as a strong one.
    /// - Returns: the versions that the tags are of; tags that are none of ours are of none. `nil` for a malformed value.
    static func versions(_ text: String, weakly isWeak: Bool) -> DocumentPrecondition.Versions? {
        var rest = text.utf8[...]
        trim(&rest)
        if rest.elementsEqual("*".utf8) { return .any }
        var versions: Set<Int64> = []
        var count = 0
        while !rest.isEmpty {
            let isWeakTag = rest.starts(with: "W/".utf8)
            if isWeakTag { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return nil }
            if !isWeakTag || isWeak, let version = version(String(rest[..<end].dropFirst())) {
                versions.insert(version)
            }
            count += 1
            rest = rest[end...].dropFirst()
            let last = rest.startIndex
            trim(&rest)
            // Something must stand between two tags.
            guard rest.isEmpty || text.utf8[last..<rest.startIndex].contains(UInt8(ascii: ",")) else { return nil }
        }
        return count > 0 ? .of(versions) : nil
    }

    /// The version that a text is the only spelling of.
    static func version(_ text: String?) -> Int64? {
        guard let text, let version = Int64(text), String(version) == text else { return nil }
        return version
    }

    /// Skips what may stand between tags.
    private static func trim(_ text: inout Substring.UTF8View) {
        text = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
    }
}

extension DocumentLimits {
    /// The JSON object in a body.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT, DOCUMENT_TOO_DEEP.
    func object(_ body: [UInt8]) throws -> JSONObject {
        guard let object = try value(body, around: 0, orRefuse: .invalidDocument).object else {
            throw Refusal(.invalidDocument, detail: "A document is a JSON object.")
        }
        return object
    }

    /// The JSON in a body whose documents lie in so many objects and arrays of the call.
    ///
    /// - Throws: ``Refusal`` DOCUMENT_TOO_DEEP, or `code` for what is no JSON.
    func value(_ body: [UInt8], around levels: Int, orRefuse code: Code) throws -> JSONValue {
        do {
            return try JSONValue.parse(body, maximumDepth: maxDepth + levels)
        } catch {
            guard error.kind == .tooDeep else { throw Refusal(code, detail: "Not JSON: \(error).") }
            throw Refusal(.documentTooDeep, detail: "At most \(maxDepth) objects and arrays may lie in each other.")
        }
    }
}

extension Response {
    /// A document as it is.
    static func document(status: Int = 200, _ document: Document) -> Response {
        var response = Response.json(status: status, Array(document.content.utf8))
        response.headers.append((name: "ETag", value: EntityTags.tag(document.version)))
        response.keptByNobody()
        return response
    }

    /// Keeps an answer out of caches: the next one at the same URL may be another user's, with the same version.
    mutating func keptByNobody() {
        headers.append((name: "Cache-Control", value: "no-store"))
    }
}
