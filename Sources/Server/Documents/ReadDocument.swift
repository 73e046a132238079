internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /v1/documents/{collection}/{id}`: returns a document of the caller.
struct ReadDocument: ReadingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let name: DocumentName
        let precondition: DocumentPrecondition
    }

    enum Outcome: Sendable {
        case document(Document)
        /// The document has this version, which `If-None-Match` names, or covers by `*`. The response is 304 without
        /// the document.
        case known(Int64)
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        Input(
            token: try services.bearerToken(of: request),
            name: try request.documentName,
            precondition: try request.documentPrecondition
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let document = try services.flows.document(input.name, of: input.token, in: transaction)
        let precondition = input.precondition
        if let match = precondition.match, !match.contains(document.version) { throw Refusal(.preconditionFailed) }
        if precondition.noneMatch?.contains(document.version) == true { return .known(document.version) }
        return .document(document)
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .document(let document): return .document(document)
        case .known(let version):
            var response = Response(status: 304, headers: [("ETag", EntityTags.tag(version))])
            response.forbidCaching()
            return response
        }
    }
}
