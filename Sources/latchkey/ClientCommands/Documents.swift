internal import JSON
internal import LatchkeyClient

extension Command {
    /// `latchkey documents`: reads, writes and watches the documents of the signed-in user.
    static let documents = Command(
        name: "documents",
        summary: "Read, write and watch your documents",
        discussion: """
            Documents are small JSON objects that belong to a user's UID. Each document is named COLLECTION/ID, for \
            example 'favourites/number'.
            """,
        content: .commands([
            listDocuments, getDocument, setDocument, updateDocument, deleteDocument, listenToDocuments,
        ])
    )

    private static let listDocuments = Command(
        name: "list",
        summary: "List documents",
        discussion: "With --json, prints each document on its own line.",
        arguments: [Argument(name: "COLLECTION", help: "List only this collection.", isOptional: true)],
        options: Option.client,
        examples: ["latchkey documents list", "latchkey documents list favourites"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            for try await page in auth.documents.list(in: invocation[argument: "COLLECTION"]) {
                for document in page.documents { invocation.print(document) }
            }
        }
    )

    private static let getDocument = Command(
        name: "get",
        summary: "Show a document",
        discussion: "Prints the document as JSON. With --json, prints it on one line with its name and version.",
        arguments: [.document],
        options: Option.client,
        examples: ["latchkey documents get favourites/number"],
        content: .body { invocation in
            let path = try invocation.document()
            let document = try await ClientSession.auth(invocation).documents.get(path)
            guard !invocation.isJSON else { return invocation.print(document) }
            invocation.terminal.print(document.value.pretty)
        }
    )

    private static let setDocument = Command(
        name: "set",
        summary: "Create or replace a document",
        arguments: [.document, .json],
        options: [.file, .ifVersion, .ifAbsent] + Option.client,
        examples: [
            "latchkey documents set favourites/number '{\"number\":17}'",
            "latchkey documents set notes/today --file today.json",
        ],
        content: .body { invocation in
            let path = try invocation.document(), json = try invocation.json()
            let condition = try invocation.condition()
            let documents = try ClientSession.auth(invocation).documents
            invocation.print(written: try await documents.set(json: json, at: path, if: condition))
        }
    )

    private static let updateDocument = Command(
        name: "update",
        summary: "Change members of a document, or create it",
        discussion: """
            Applies a JSON merge patch (RFC 7396): sets the members that it names, removes those that are null in it, \
            and keeps all others.
            """,
        arguments: [.document, .json],
        options: [.file, .ifVersion] + Option.client,
        examples: ["latchkey documents update favourites/number '{\"number\":42,\"old\":null}'"],
        content: .body { invocation in
            let path = try invocation.document(), json = try invocation.json()
            let condition = try invocation.condition()
            let documents = try ClientSession.auth(invocation).documents
            invocation.print(written: try await documents.update(json: json, at: path, if: condition))
        }
    )

    private static let deleteDocument = Command(
        name: "delete",
        summary: "Delete a document",
        discussion: "Also succeeds if the document does not exist.",
        arguments: [.document],
        options: [.ifVersion] + Option.client,
        examples: ["latchkey documents delete favourites/number"],
        content: .body { invocation in
            let path = try invocation.document()
            let condition = try invocation.condition()
            try await ClientSession.auth(invocation).documents.delete(path, if: condition)
            guard invocation.isJSON else { return invocation.terminal.print("\(path) is deleted.") }
            var json = JSONWriter()
            json.beginObject()
            json.member("collection", path.collection)
            json.member("id", path.id)
            json.member("deleted", true)
            json.endObject()
            invocation.printLine(json)
        }
    )
}

extension Argument {
    fileprivate static let document = Argument(name: "DOCUMENT", help: "The document's name, COLLECTION/ID.")
    fileprivate static let json = Argument(
        name: "JSON",
        help: "A JSON object; if - or omitted, it is read from standard input.",
        isOptional: true
    )
}

extension Option {
    fileprivate static let file = Option(name: "file", value: "FILE", help: "Read the JSON from a file.")
    fileprivate static let ifVersion = Option(
        name: "if-version",
        value: "NUMBER",
        help: "Proceed only if the document still has this version."
    )
    fileprivate static let ifAbsent = Option(name: "if-absent", help: "Proceed only if the document does not exist.")
}

extension Invocation {
    fileprivate func document() throws(UsageError) -> DocumentPath {
        let text = try required("DOCUMENT")
        guard let path = DocumentPath(text) else {
            throw usage(
                "'\(text)' is not a document's name; write COLLECTION/ID with letters, digits, '_', '-' and '.'."
            )
        }
        return path
    }

    /// Reads the JSON that was given as an argument, as a file, or on standard input.
    fileprivate func json() throws -> [UInt8] {
        let text = self[argument: "JSON"]
        guard let file = value("file") else {
            guard let text, text != "-" else { return try InputFile.read("-") }
            return Array(text.utf8)
        }
        guard text == nil else { throw usage("Give the JSON or --file, not both.") }
        return try InputFile.read(file)
    }

    fileprivate func condition() throws(UsageError) -> DocumentCondition {
        let version = try number("if-version", in: 0...Int.max)
        guard isOn("if-absent") else { return version.map { .version(Int64($0)) } ?? .none }
        guard version == nil else { throw usage("Give --if-version or --if-absent, not both.") }
        return .isAbsent
    }

    /// Prints a document on one line: its path and content; with `--json`, an object with its version too.
    func print(_ document: Document) {
        guard isJSON else { return terminal.print("\(Terminal.plain("\(document.path)"))  \(document.value.line)") }
        var json = JSONWriter()
        json.beginObject()
        document.write(to: &json)
        json.endObject()
        printLine(json)
    }

    fileprivate func print(written document: Document) {
        guard !isJSON else { return print(document) }
        terminal.print("\(Terminal.plain("\(document.path)")) is written, version \(document.version).")
    }

    func printLine(_ json: JSONWriter) {
        terminal.print(String(decoding: json.bytes, as: UTF8.self))
    }
}

extension Document {
    /// The parsed JSON; `null` if it cannot be parsed, which no server stores.
    var value: JSONValue {
        (try? JSONValue.parse(json, maximumDepth: JSONValue.deepestNesting)) ?? .null
    }

    /// Adds the document's path, version and content as members of the current JSON object.
    func write(to json: inout JSONWriter) {
        json.member("collection", path.collection)
        json.member("id", path.id)
        json.member("version", String(version))
        json.member("document", rawJSON: self.json)
    }
}
