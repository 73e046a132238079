import Accounts
import JSON

@testable import Server

extension OperationMix {
    static let documentWrite = Kind(share: 10) { _, draw in try draw.documentWrite() }

    static let documentList = Kind(share: 3) { _, draw in
        guard let session = draw.session() else { return nil }
        let input = ListDocuments.Input(token: session.token, collection: nil, last: nil, limit: 50)
        return Operation("list of documents", input, ListDocuments.init)
    }

    static let username = Kind(share: 5) { _, draw in
        guard let session = draw.session() else { return nil }
        return draw.numbers.chance(80) ? draw.username(of: session) : removal(ofUsernameOf: session)
    }

    static let usernameOfGuest = Kind(share: 1) { _, draw in draw.guest().map { draw.username(of: $0) } }

    static let usernameRemoved = Kind(share: 1) { _, draw in draw.session().map(removal) }

    @Sendable
    private static func removal(ofUsernameOf session: KnownSession) -> Operation {
        let input = SetUsername.Input(token: session.token, username: nil)
        return Operation("removal of a username", input, SetUsername.init)
    }
}

extension Draw {
    mutating func documentWrite() throws -> Operation? {
        guard let session = session() else { return nil }
        let name = try DocumentName(
            collection: "notes",
            id: "note-\(Int.random(in: 0..<6, using: &numbers))"
        )
        let version = Int64.random(in: 1..<6, using: &numbers)
        let precondition =
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: DocumentPrecondition(match: .of([version]))
            case 1: DocumentPrecondition(noneMatch: .any)
            default: DocumentPrecondition.none
            }
        let number = Int.random(in: 0..<1000, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0:
            let write = DocumentWrite(name, .delete, if: precondition)
            return Operation(
                "deletion of a document",
                DeleteDocument.Input(token: session.token, write: write),
                DeleteDocument.init
            )
        case 1, 2:
            let patch = try JSONValue.parse("{\"member-\(number % 4)\":\(number)}").object ?? JSONObject()
            return write(DocumentWrite(name, .patch(patch), if: precondition), by: session, .patch)
        default:
            return write(DocumentWrite(name, .set("{\"a\":\(number)}"), if: precondition), by: session, .set)
        }
    }

    mutating func username(of session: KnownSession) -> Operation {
        let name = Username(numbers.pick(focus?.usernames ?? OperationMix.usernames) ?? "")
        return Operation("username", SetUsername.Input(token: session.token, username: name), SetUsername.init)
    }

    private func write(_ write: DocumentWrite, by session: KnownSession, _ verb: WriteDocument.Verb) -> Operation {
        let volume = WriteVolume(client: nil, bytes: 0)
        let input = WriteDocument.Input(token: session.token, write: write, volume: volume)
        return Operation("write of a document", input, { WriteDocument(services: $0, verb: verb) })
    }
}
