internal import Accounts
internal import Database
internal import HTTPServer

/// `PUT` and `PATCH /v1/documents/{collection}/{id}`: sets a document of the caller, or changes it by a merge patch.
struct WriteDocument: WritingEndpoint {
    enum Verb: Sendable {
        case set
        case patch
    }

    struct Input: Sendable {
        let token: PresentedToken
        let write: DocumentWrite
    }

    let services: Services
    let verb: Verb

    func decode(_ request: Request) throws -> Input {
        let token = try services.bearerToken(of: request)
        let name = try request.documentName
        let precondition = try request.documentPrecondition
        let limits = services.flows.policy.documents
        let object = try limits.object(request.body)
        let change: DocumentWrite.Change =
            switch verb {
            case .set: .set(try limits.content(object))
            case .patch: .patch(object)
            }
        return Input(token: token, write: DocumentWrite(name, change, if: precondition))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> WrittenDocuments {
        try services.flows.write([input.write], of: input.token, in: transaction)
    }

    func render(_ written: WrittenDocuments) throws -> Response {
        if written.hasChanges { services.changes.changed(written.uid) }
        guard let written = written.documents.first, let document = written.document else {
            return Response(status: 204)
        }
        return .document(status: written.isNew ? 201 : 200, document)
    }
}
