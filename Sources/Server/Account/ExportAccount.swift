internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `GET /account/export`: sends the user's data as a JSON file.
///
/// Each page of documents is read when the client has taken most of the one before. If the session ends meanwhile, or a
/// page cannot be read, the transfer breaks off, so that the browser reports an incomplete file.
struct ExportAccount: WritingEndpoint {
    struct Outcome: Sendable {
        let export: AccountExport
        let token: PresentedToken
    }

    /// The maximum number of documents of a page, and of the bytes of their contents.
    private static let pageSize = (documents: 500, bytes: 256 << 10)

    private static let head = Response(headers: [
        ("Content-Type", "application/json; charset=utf-8"),
        ("Content-Disposition", "attachment; filename=\"account.json\""),
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ])

    let services: Services

    func decode(_ request: Request) throws -> TokenID {
        guard let session = try services.accountPageVisit(of: request).session else { throw Refusal(.tokenExpired) }
        return session
    }

    func transact(_ session: TokenID, in transaction: Transaction) throws -> Outcome {
        let caller = try services.flows.authenticate(browser: session, at: .account, in: transaction)
        let overview = try services.flows.overview(of: caller, in: transaction)
        return Outcome(export: AccountExport(overview: overview, time: transaction.now), token: caller.token)
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        let user = outcome.export.overview.user
        services.log("account.exported", uid: user.uid, isAnonymous: user.isAnonymous)
    }

    /// Not called: ``stream(_:)`` answers in its place.
    func render(_ outcome: Outcome) -> Response { Self.head }

    /// Sends the export.
    func stream(_ outcome: Outcome) -> Handling {
        .stream(Self.head) { writer in
            writer.whenStopping { writer.abort() }
            Task {
                do { try await send(outcome, to: writer) } catch {
                    services.logger("account.export-failed", ("reason", .string("\(error)")))
                    writer.abort()
                }
            }
        }
    }

    private func send(_ outcome: Outcome, to writer: StreamWriter) async throws {
        try await writer.send(outcome.export.beginning)
        var last: DocumentName?, hasMore = true
        while hasMore {
            let page = try await services.database.read(kind: Self.name) { [flows = services.flows, last] in
                try flows.documents(
                    of: outcome.token,
                    in: nil,
                    after: last,
                    limit: Self.pageSize.documents,
                    maximumBytes: Self.pageSize.bytes,
                    store: $0
                )
            }
            try await writer.send(AccountExport.piece(page.documents, isFirst: last == nil))
            (last, hasMore) = (page.documents.last?.name ?? last, page.hasMore && !page.documents.isEmpty)
        }
        try await writer.send(AccountExport.end)
        writer.finish()
    }
}

extension Services {
    /// Handles `GET /account/export`.
    @Sendable
    func exportAccount(_ request: Request) throws -> Handling {
        let endpoint = ExportAccount(services: self)
        let session = try endpoint.decode(request)
        return handling(endpoint, session, CallContext(client: request.clientAddress)) { endpoint.stream($0) }
    }
}
