internal import CPostgreSQL

/// COPY, which runs outside the pipeline (libpq manual, 34.5.1: "COPY operations are disallowed" in it).
///
/// If one of these methods throws anything but a server error, the connection is broken off.
extension PostgreSQLLink {
    /// Runs `COPY … TO STDOUT` and passes the lines on as they arrive, in pieces.
    ///
    /// - Parameters:
    ///   - text: the statement.
    ///   - waiting: the maximum time in milliseconds for each answer of the server.
    ///   - take: receives the lines.
    func copyOut(_ text: [UInt8], waiting: Int, _ take: (RowLines) throws -> Void) throws {
        try beginCopy(text, as: PGRES_COPY_OUT, waiting: waiting)
        var isDone = false
        // If the copy stops early, the rest would be read as the answer to another statement.
        defer { if !isDone { breakOff() } }
        var lines = RowLines()
        while true {
            var line: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &line, 1)
            if count > 0 {
                defer { unsafe PQfreemem(line) }
                lines.append { bytes in
                    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: line, count: Int(count)))
                }
                if lines.isFull { try lines.pass(to: take) }
            } else if count == 0 {
                try wait(reading: true, writing: false, by: Deadline(in: waiting))
                try consume()
            } else {
                // -1: the end; -2: an error, which the result describes.
                break
            }
        }
        try lines.pass(to: take)
        isDone = true
        try endCopy(waiting: waiting)
    }

    /// Starts `COPY … FROM STDIN`, so that lines can be sent.
    func beginCopyIn(_ text: [UInt8], waiting: Int) throws(DatabaseError) {
        try beginCopy(text, as: PGRES_COPY_IN, waiting: waiting)
    }

    /// Sends lines of a started `COPY … FROM STDIN`.
    ///
    /// While the network accepts no more, each wait takes at most `waiting` milliseconds.
    func putCopyIn(_ bytes: [UInt8], waiting: Int) throws(DatabaseError) {
        try drain(waiting) {
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe PQputCopyData(
                    handle,
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: bytes.count)
                )
            }
        }
    }

    /// Ends `COPY … FROM STDIN`.
    ///
    /// - Throws: the server's error about the lines.
    func endCopyIn(waiting: Int) throws(DatabaseError) {
        try drain(waiting) { unsafe PQputCopyEnd(handle, nil) }
        try endCopy(waiting: waiting)
    }

    private func beginCopy(_ text: [UInt8], as status: ExecStatusType, waiting: Int) throws(DatabaseError) {
        guard unsafe PQexitPipelineMode(handle) == 1 else { throw broken("cannot leave the pipeline") }
        try send(text, [])
        guard let answer = unsafe try receive(by: Deadline(in: waiting)) else { throw broken("no answer to COPY") }
        let result = unsafe PostgreSQLResult(owning: answer)
        if let error = result.error {
            try? endCopy(waiting: waiting)
            throw error
        }
        guard result.status == status else { throw broken("COPY was not understood") }
    }

    /// Reads the final answer and returns to pipeline mode.
    private func endCopy(waiting: Int) throws(DatabaseError) {
        var failure: DatabaseError?
        while let answer = unsafe try receive(by: Deadline(in: waiting)) {
            let result = unsafe PostgreSQLResult(owning: answer)
            failure = failure ?? result.error
        }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw broken("cannot go back to the pipeline") }
        if let failure { throw failure }
    }

    /// Passes data to libpq and waits until the network has accepted it.
    private func drain(_ waiting: Int, _ put: () -> Int32) throws(DatabaseError) {
        var accepted = put()
        while accepted == 0 {
            try wait(reading: true, writing: true, by: Deadline(in: waiting))
            try consume()
            accepted = put()
        }
        guard accepted == 1 else { throw broken("cannot send") }
        while true {
            let left = unsafe PQflush(handle)
            guard left >= 0 else { throw broken("the connection broke") }
            if left == 0 { return }
            try wait(reading: true, writing: true, by: Deadline(in: waiting))
            try consume()
        }
    }
}
