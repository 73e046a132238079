internal import Accounts
internal import Database
internal import HTTPServer

/// `PUT` and `PATCH /v1/documents/{collection}/{id}`: sets a document of the caller, or changes it with a merge patch.
struct WriteDocument: WritingEndpoint {
    enum Verb: Sendable {
        case set
        case patch
    }

    struct Input: Sendable {
        let token: PresentedToken
        let write: DocumentWrite
        let volume: WriteVolume
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
        let write = DocumentWrite(name, change, if: precondition)
        return Input(token: token, write: write, volume: try services.volume([write], of: token, request))
    }

    // Whatever changes documents, or ends the session or its user, changes one of the two rows that the write locks.
    func isolation(_ input: Input) -> Isolation { .readCommitted }

    func transact(_ input: Input, in transaction: Transaction) throws -> CountedDocuments {
        CountedDocuments(
            written: try services.flows.write([input.write], of: input.token, in: transaction),
            volume: input.volume
        )
    }

    func committed(_ counted: CountedDocuments, of call: CallContext) {
        services.countFurtherBytes(of: counted)
        if counted.written.hasChanges { services.changes.changed(counted.written.uid) }
    }

    func render(_ counted: CountedDocuments) throws -> Response {
        guard let written = counted.written.documents.first, let document = written.document else {
            return Response(status: 204)
        }
        return .document(status: written.isNew ? 201 : 200, document)
    }
}
