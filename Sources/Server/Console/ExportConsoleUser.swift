internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `POST /console/users/{uid}/export`: records the export of a user in the audit log.
///
/// ``Services/consoleExportHandler()`` reads the data after the commit, so that no export is without its entry and the
/// data is read outside the transaction that writes.
private struct ExportConsoleUser: ConsoleAction {
    static let section = ConsoleSection.users
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> String { try services.consoleUID(request) }

    func change(_ uid: String, by flows: AccountFlows, in transaction: Transaction) throws -> String {
        guard try transaction.user(uid) != nil else { throw Refusal(.userNotFound) }
        try flows.audit(.userExported, uid: uid, in: transaction)
        return uid
    }

    /// Not called: the export responds in its place.
    func respond(_ uid: String, in frame: ConsoleFrame) throws -> Response {
        services.consoleRedirect(to: ConsolePath.user(uid))
    }
}

extension Services {
    /// The maximum size of an export on the console, in bytes: the whole export is in memory.
    private static let mostExportedBytes = 32 << 20

    /// Returns the handler that exports a user as a download.
    func consoleExportHandler() -> Handler {
        let change = ConsoleChange(action: ExportConsoleUser(services: self))
        return { request in
            let input = try change.decode(request)
            return self.handling(change, input, CallContext(client: request.clientAddress)) { recorded in
                .suspended { resumption in
                    self.database.read(kind: "ExportConsoleUser", snapshot: true) { transaction in
                        try self.exported(recorded.outcome, in: transaction)
                    } completion: { result in
                        resumption.resume { self.download(try result.get(), of: recorded.outcome) }
                    }
                }
            }
        }
    }

    private func exported(_ uid: String, in transaction: Transaction) throws -> [UInt8] {
        var body: [UInt8] = []
        let isThere = try UserExport(uid: uid, flows: flows, transaction: transaction).write { piece in
            guard body.count + piece.count <= Self.mostExportedBytes else {
                throw ConsoleError(
                    heading: "Too large for a download",
                    message: "The user has more than 32 MB of data. Run on the server: latchkey users export \(uid)",
                    status: 413
                )
            }
            body += piece
        }
        guard isThere else { throw Refusal(.userNotFound) }
        return body
    }

    private func download(_ body: [UInt8], of uid: String) -> Response {
        let name = uid.utf8.filter { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        var response = Response.json(body)
        response.headers += Self.consolePolicy
        response.headers.append(
            ("Content-Disposition", "attachment; filename=\"user-\(String(decoding: name, as: UTF8.self)).json\"")
        )
        return response
    }
}
