internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `POST /console/users/{uid}/document`: shows the content of a document, and records that in the audit log.
struct ShowConsoleDocument: ConsoleAction {
    struct Input: Sendable {
        let uid: String
        let name: DocumentName
    }

    struct Outcome: Sendable {
        let uid: String
        let document: Document
    }

    static let section = ConsoleSection.users
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> Input {
        Input(
            uid: try services.consoleUID(request),
            name: try DocumentName(collection: form["collection"] ?? "", id: form["id"] ?? "")
        )
    }

    func change(_ input: Input, by flows: AccountFlows, in transaction: Transaction) throws -> Outcome {
        guard let document = try transaction.document(input.name, of: input.uid) else {
            throw Refusal(.documentNotFound)
        }
        let name = "\(input.name.collection)/\(input.name.id)"
        try flows.audit(.documentRead, uid: input.uid, detail: name, in: transaction)
        return Outcome(uid: input.uid, document: document)
    }

    func respond(_ outcome: Outcome, in frame: ConsoleFrame) throws -> Response {
        let name = outcome.document.name
        return try frame.page(
            "document",
            title: "\(name.collection)/\(name.id)",
            ["name": "\(name.collection)/\(name.id)", "content": outcome.document.content],
            parts: ["back": .link("Back to the user", to: ConsolePath.user(outcome.uid))]
        )
    }
}
