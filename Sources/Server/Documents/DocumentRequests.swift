internal import Accounts
internal import HTTPServer
internal import JSON

extension Request {
    /// The collection and the ID of a document, from the request's path.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT_NAME.
    var documentName: DocumentName {
        get throws {
            try DocumentName(collection: parameters["collection"] ?? "", id: parameters["id"] ?? "")
        }
    }

    /// The precondition in `If-Match` and `If-None-Match`; without these fields, one that is always met.
    ///
    /// - Throws: ``RequestError`` for a value that is neither `*` nor a list of entity tags, because ignoring a
    ///   precondition could overwrite another client's changes.
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

    /// Parses `*` or a list of tags.
    ///
    /// - Parameters:
    ///   - text: the header's value.
    ///   - isWeak: whether weak tags, such as `W/"17"`, count like strong ones.
    /// - Returns: `.any` for `*`; otherwise the versions in the tags, without those of weak tags unless `isWeak` is
    ///   set, and without tags that are not a version; `nil` for a malformed value or a list without tags.
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
            // Two tags must be separated.
            guard rest.isEmpty || text.utf8[last..<rest.startIndex].contains(UInt8(ascii: ",")) else { return nil }
        }
        return count > 0 ? .of(versions) : nil
    }

    /// Returns the 64-bit integer that a text spells in decimal; `nil` without a text, and for any other text,
    /// including one with leading zeros or a plus.
    static func version(_ text: String?) -> Int64? {
        guard let text, let version = Int64(text), String(version) == text else { return nil }
        return version
    }

    /// Drops commas, spaces and tabs from the start of a text.
    private static func trim(_ text: inout Substring.UTF8View) {
        text = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
    }
}

extension DocumentLimits {
    /// Parses the JSON object in a body.
    ///
    /// - Throws: ``Refusal`` INVALID_DOCUMENT, DOCUMENT_TOO_DEEP.
    func object(_ body: [UInt8]) throws -> JSONObject {
        guard let object = try value(body, around: 0, orRefuse: .invalidDocument).object else {
            throw Refusal(.invalidDocument, detail: "A document must be a JSON object.")
        }
        return object
    }

    /// Parses the JSON in a body, which may nest `levels` deeper than a document, because the call puts its documents
    /// into that many objects and arrays.
    ///
    /// - Throws: ``Refusal`` DOCUMENT_TOO_DEEP, or `code` for invalid JSON.
    func value(_ body: [UInt8], around levels: Int, orRefuse code: Code) throws -> JSONValue {
        do {
            return try JSONValue.parse(body, maximumDepth: maxDepth + levels)
        } catch {
            guard error.kind == .tooDeep else { throw Refusal(code, detail: "Not JSON: \(error).") }
            throw Refusal(.documentTooDeep, detail: "Objects and arrays may be nested at most \(maxDepth) deep.")
        }
    }
}

extension Response {
    /// A response with a document's content as the body and its version as `ETag`, which caches must not store.
    static func document(status: Int = 200, _ document: Document) -> Response {
        var response = Response.json(status: status, Array(document.content.utf8))
        response.headers.append((name: "ETag", value: EntityTags.tag(document.version)))
        response.forbidCaching()
        return response
    }

    /// Keeps a response out of caches: the next one at the same URL may be another user's, with the same version.
    mutating func forbidCaching() {
        headers.append((name: "Cache-Control", value: "no-store"))
    }
}
