internal import CPostgreSQL

/// A plain connection for the harness's own statements on a server.
@safe struct Connection: ~Copyable {
    private let handle: OpaquePointer

    /// Connects.
    init(_ url: String) throws(PostgreSQLServer.Failed) {
        let handle = unsafe PQconnectdb(url)
        guard let handle = unsafe handle, unsafe PQstatus(handle) == CONNECTION_OK else {
            let reason = unsafe String(cString: PQerrorMessage(handle))
            unsafe PQfinish(handle)
            throw PostgreSQLServer.Failed(description: "cannot connect to \(url): \(reason)")
        }
        unsafe self.handle = handle
        // Ignores notices, for example about objects that could not be dropped because they did not exist.
        unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { unsafe PQfinish(handle) }

    /// Whether the connection to the server is still usable, as far as is known.
    var isUsable: Bool { unsafe PQstatus(handle) == CONNECTION_OK }

    /// Runs statements, without a transaction around a single one.
    ///
    /// - Returns: the rows of the last result, one line each, with `|` between the columns.
    borrowing func run(_ sql: String) throws(PostgreSQLServer.Failed) -> String {
        let result = unsafe PQexec(handle, sql)
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure(sql) }
        let columns = unsafe 0..<PQnfields(result)
        let rows = unsafe (0..<PQntuples(result)).map { row in
            columns.map { unsafe String(cString: PQgetvalue(result, row, $0)) }.joined(separator: "|")
        }
        return rows.joined(separator: "\n")
    }

    private borrowing func failure(_ what: String) -> PostgreSQLServer.Failed {
        unsafe PostgreSQLServer.Failed(description: "\(what): \(String(cString: PQerrorMessage(handle)))")
    }
}
