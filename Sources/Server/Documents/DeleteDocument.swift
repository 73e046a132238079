internal import Accounts
internal import Database
internal import HTTPServer

/// `DELETE /v1/documents/{collection}/{id}`: deletes a document of the caller if it exists and meets the request's
/// precondition.
///
/// Without a document the response is 204 as well, unless `If-Match` requires one.
struct DeleteDocument: WritingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let write: DocumentWrite
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        Input(
            token: try services.bearerToken(of: request),
            write: DocumentWrite(try request.documentName, .delete, if: try request.documentPrecondition)
        )
    }

    // Whatever changes documents, or ends the session or its user, changes one of the two rows that the write locks.
    func isolation(_ input: Input) -> Isolation { .readCommitted }

    func transact(_ input: Input, in transaction: Transaction) throws -> WrittenDocuments {
        try services.flows.write([input.write], of: input.token, in: transaction)
    }

    func committed(_ written: WrittenDocuments, of call: CallContext) {
        if written.hasChanges { services.changes.changed(written.uid) }
    }

    func render(_ written: WrittenDocuments) throws -> Response {
        Response(status: 204)
    }
}
