internal import JSON
internal import LatchkeyClient

extension Command {
    /// `latchkey documents listen`: prints changes of the signed-in user's documents as they happen.
    static let listenToDocuments = Command(
        name: "listen",
        summary: "Print changes of documents as they happen",
        discussion: """
            Prints each change, from any device, until you stop the command with Ctrl-C. After a lost connection the \
            command reconnects and misses no change. With --json, prints each event on its own line.

            If the session ends, the command prints the reason and exits with status 1.
            """,
        arguments: [Argument(name: "COLLECTION", help: "Print only changes in this collection.", isOptional: true)],
        options: [
            Option(
                name: "after",
                value: "NUMBER",
                help: "Start after the change with this number; a document's version is the number of its last change."
            ),
            Option(name: "count", value: "NUMBER", help: "Stop after this many changes."),
        ] + Option.client,
        examples: ["latchkey documents listen", "latchkey documents listen favourites --count 1 --json"],
        content: .body { invocation in
            let number = try invocation.number("after", in: 0...Int.max)
            var rest = try invocation.number("count", in: 1...Int.max)
            let auth = try ClientSession.auth(invocation)
            let collection = invocation[argument: "COLLECTION"]
            for try await event in auth.documents.listen(in: collection, after: number.map { Int64($0) }) {
                invocation.print(event)
                switch event {
                case .changed, .deleted: rest = rest.map { $0 - 1 }
                case .ended(let reason, let uid): throw Failure(reason, mergedInto: uid)
                case .ready, .reset: break
                }
                if rest == 0 { return }
            }
        }
    )
}

extension Invocation {
    fileprivate func print(_ event: DocumentEvent) {
        guard !isJSON else { return printJSON(event) }
        switch event {
        case .ready: terminal.error("Listening.\n")
        case .changed(let document): print(document)
        case .deleted(let path, _): terminal.print("\(Terminal.plain("\(path)"))  deleted")
        case .reset:
            terminal.error("Some changes were missed; run 'latchkey documents list' for the current documents.\n")
        case .ended: break
        }
    }

    private func printJSON(_ event: DocumentEvent) {
        var json = JSONWriter()
        json.beginObject()
        switch event {
        case .ready(let number):
            json.member("event", "ready")
            json.member("number", String(number))
        case .changed(let document):
            json.member("event", "changed")
            document.write(to: &json)
        case .deleted(let path, let number):
            json.member("event", "deleted")
            json.member("collection", path.collection)
            json.member("id", path.id)
            json.member("number", String(number))
        case .reset(let number):
            json.member("event", "reset")
            json.member("number", String(number))
        case .ended(let reason, let uid):
            json.member("event", "ended")
            json.member("reason", reason.rawValue)
            json.member("mergedInto", uid)
        }
        json.endObject()
        printLine(json)
    }
}

extension Failure {
    fileprivate init(_ reason: ListeningEnd, mergedInto uid: String?) {
        let text =
            switch reason {
            case .signedOut: "this device signed out"
            case .revoked: "all sessions were ended"
            case .merged: "the guest was merged into \(uid ?? "an account")"
            case .deleted: "the user was deleted"
            case .disabled: "the user was disabled"
            default: "the session has ended"
            }
        self.init("Listening has ended: \(text).", code: reason.rawValue)
    }
}
