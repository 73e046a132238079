internal import JSON
internal import LatchkeyClient

extension Command {
    /// `latchkey documents`.
    static let documents = Command(
        name: "documents",
        summary: "Read, write and watch one's own documents",
        discussion: """
            Documents are small JSON objects that belong to a user and follow the UID. They are named COLLECTION/ID, \
            'favourites/number' for example.
            """,
        content: .commands([
            listDocuments, getDocument, setDocument, updateDocument, deleteDocument, listenToDocuments,
        ])
    )

    private static let listDocuments = Command(
        name: "list",
        summary: "List documents",
        discussion: "With --json each document is a line of its own.",
        arguments: [Argument(name: "COLLECTION", help: "Only those of this collection.", isOptional: true)],
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
        discussion: "Prints the document as JSON; with --json on one line, with its name and version.",
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
        summary: "Replace a document, or make it",
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
        summary: "Change members of a document, or make it",
        discussion: """
            Takes a JSON merge patch (RFC 7396): members that it names are changed, members that are null in it are \
            removed, all others stay.
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
        discussion: "That there is none is no failure.",
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
    fileprivate static let document = Argument(name: "DOCUMENT", help: "Its name, COLLECTION/ID.")
    fileprivate static let json = Argument(
        name: "JSON",
        help: "A JSON object; read from standard input when it is - or left out.",
        isOptional: true
    )
}

extension Option {
    fileprivate static let file = Option(name: "file", value: "FILE", help: "Read the JSON from a file.")
    fileprivate static let ifVersion = Option(
        name: "if-version",
        value: "NUMBER",
        help: "Only if the document is in this version still."
    )
    fileprivate static let ifAbsent = Option(name: "if-absent", help: "Only if there is no such document.")
}

extension Invocation {
    fileprivate func document() throws(UsageError) -> DocumentPath {
        let text = try required("DOCUMENT")
        guard let path = DocumentPath(text) else {
            throw usage("A document is named COLLECTION/ID, of letters, digits, '_', '-' and '.', not '\(text)'.")
        }
        return path
    }

    /// The JSON that was given: as an argument, in a file, or on standard input.
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
        guard version == nil else { throw usage("--if-version and --if-absent exclude each other.") }
        return .isAbsent
    }

    /// One document of several.
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
    /// The JSON; `null` for what no server stores.
    var value: JSONValue {
        (try? JSONValue.parse(json, maximumDepth: JSONValue.deepestNesting)) ?? .null
    }

    /// Its members for scripts.
    func write(to json: inout JSONWriter) {
        json.member("collection", path.collection)
        json.member("id", path.id)
        json.member("version", String(version))
        json.member("document", rawJSON: self.json)
    }
}
