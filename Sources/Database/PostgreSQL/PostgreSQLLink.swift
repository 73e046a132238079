internal import CPostgreSQL
internal import Glibc

/// One libpq connection: sends statements and receives answers, never waiting beyond a deadline.
///
/// Always in pipeline mode (libpq manual, 34.5) except during COPY, so that any number of statements share one round
/// trip. Used by one thread at a time.
@safe final class PostgreSQLLink: @unchecked Sendable {
    let handle: OpaquePointer
    /// Whether an error left the connection in an unknown state.
    private(set) var isBroken = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - url: the URL in libpq's form.
    ///   - deadline: the time limit.
    /// - Throws: `unavailable`, with a message that contains no password if ``PostgreSQLURL`` accepts the URL;
    ///   `internal` without memory, or if libpq cannot use the connection in pipeline mode.
    init(url: String, by deadline: Deadline) throws(DatabaseError) {
        guard let handle = unsafe Self.start(url) else {
            throw DatabaseError(.internal, message: "out of memory")
        }
        unsafe self.handle = handle
        do throws(DatabaseError) {
            try finishConnecting(by: deadline)
            // Server notices are dropped, because the operator's triggers may put personal data into them.
            unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
            guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else {
                throw DatabaseError(.internal, message: "the connection could not be set up")
            }
        } catch {
            isBroken = true
            throw error
        }
    }

    deinit { unsafe PQfinish(handle) }

    /// The values of some connection parameters where the URL sets none.
    ///
    /// The keepalives detect a dead connection within a minute.
    private static let standard: [(name: String, value: String)] = [
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("fallback_application_name", "latchkey"),
    ]

    /// Starts connecting; `nil` if there is no memory.
    @unsafe private static func start(_ url: String) -> OpaquePointer? {
        // Later settings override earlier ones, and the URL is passed as the database name. The encoding comes last:
        // text is sent in UTF-8, whatever a URL, a role or the environment (PGCLIENTENCODING) says.
        let settings = standard + [("dbname", url), ("client_encoding", "UTF8")]
        let names = settings.map { Array($0.name.utf8CString) }, values = settings.map { Array($0.value.utf8CString) }
        return unsafe withPointers(names) { names in
            unsafe withPointers(values) { values in unsafe PQconnectStartParams(names, values, 1) }
        }
    }

    /// Passes texts as a null-terminated C array.
    @unsafe private static func withPointers<Result>(
        _ texts: [[CChar]],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let starts = texts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        return unsafe Array(texts.joined()).withUnsafeBufferPointer { bytes in
            var pointers = unsafe starts.dropLast().map { unsafe bytes.baseAddress?.advanced(by: $0) }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }

    private func finishConnecting(by deadline: Deadline) throws(DatabaseError) {
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw failure("cannot connect") }
        var state = PGRES_POLLING_WRITING
        while true {
            switch state {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: try wait(reading: true, writing: false, by: deadline)
            case PGRES_POLLING_WRITING: try wait(reading: false, writing: true, by: deadline)
            default: throw failure("cannot connect")
            }
            state = unsafe PQconnectPoll(handle)
        }
    }

    /// Adds a statement to the pipeline that is prepared under a name for later use.
    func prepare(_ name: String, _ text: [UInt8]) throws(DatabaseError) {
        let sent = unsafe Self.withCString(text) { unsafe PQsendPrepare(handle, name, $0, 0, nil) }
        guard sent == 1 else { throw broken("cannot send") }
    }

    /// Adds a prepared statement to the pipeline.
    func send(prepared name: String, _ values: [SQLValue]) throws(DatabaseError) {
        var parameters = try ParameterList(values)
        let sent = unsafe parameters.withPointers { count, values, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 0)
        }
        guard sent == 1 else { throw broken("cannot send") }
    }

    /// Adds a statement to the pipeline that is parsed only for this use.
    func send(_ text: [UInt8], _ values: [SQLValue]) throws(DatabaseError) {
        var parameters = try ParameterList(values)
        let sent = unsafe parameters.withPointers { count, values, lengths, formats in
            unsafe Self.withCString(text) { text in
                unsafe PQsendQueryParams(handle, text, count, nil, values, lengths, formats, 0)
            }
        }
        guard sent == 1 else { throw broken("cannot send") }
    }

    /// Ends a pipeline batch.
    ///
    /// Later statements run even if an earlier batch failed.
    func synchronize() throws(DatabaseError) {
        guard unsafe PQpipelineSync(handle) == 1 else { throw broken("cannot send") }
    }

    /// Sends buffered data as far as the network accepts it without waiting.
    func flush() throws(DatabaseError) {
        guard unsafe PQflush(handle) >= 0 else { throw broken("cannot send") }
    }

    /// Returns the next result of the pipeline; `nil` between two statements.
    func receive(by deadline: Deadline) throws(DatabaseError) -> OpaquePointer? {
        var left = unsafe PQflush(handle)
        while unsafe left > 0 || PQisBusy(handle) == 1 {
            guard left >= 0 else { throw broken("the connection broke") }
            try wait(reading: true, writing: left > 0, by: deadline)
            try consume()
            left = unsafe PQflush(handle)
        }
        guard left >= 0 else { throw broken("the connection broke") }
        return unsafe PQgetResult(handle)
    }

    /// Whether the server has closed the connection, as far as is known without sending anything.
    var isClosedByServer: Bool {
        var asked = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // A server that shuts down sends a final message before it closes the connection.
        while unsafe poll(&asked, 1, 0) > 0 {
            if unsafe PQconsumeInput(handle) != 1 || PQstatus(handle) == CONNECTION_BAD { return true }
        }
        return false
    }

    /// The socket to wait on for notifications.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Returns the notifications since the last call, without waiting (libpq manual, 34.9).
    ///
    /// - Returns: the text of each, and whether this connection sent it.
    func notifications() throws(DatabaseError) -> [(text: String, isOwn: Bool)] {
        try consume()
        var texts: [(text: String, isOwn: Bool)] = []
        while let notification = unsafe PQnotifies(handle) {
            let isOwn = unsafe notification.pointee.be_pid == PQbackendPID(handle)
            texts.append((unsafe String(cString: notification.pointee.extra), isOwn))
            unsafe PQfreemem(notification)
        }
        return texts
    }

    /// Reads received data without waiting.
    func consume() throws(DatabaseError) {
        guard unsafe PQconsumeInput(handle) == 1 else { throw broken("the connection broke") }
    }

    /// Waits until the connection can be read from or written to.
    ///
    /// - Throws: `unavailable` after the deadline, and then the connection is broken.
    func wait(reading: Bool, writing: Bool, by deadline: Deadline) throws(DatabaseError) {
        let events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
        var asked = unsafe pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let ready = unsafe poll(&asked, 1, deadline.left)
            if ready > 0 { return }
            if ready == 0 { throw broken("the server did not answer in time") }
            guard errno == EINTR else { throw broken("the connection broke") }
        }
    }

    /// Marks the connection as broken, and returns the error `unavailable`.
    func broken(_ what: String) -> DatabaseError {
        isBroken = true
        return failure(what)
    }

    /// Marks the connection as broken, so that it is not used again.
    func breakOff() { isBroken = true }

    /// Returns the error `unavailable` with libpq's message about the connection, in one line.
    ///
    /// The message names host and user, and never contains the password if ``PostgreSQLURL`` accepts the URL.
    private func failure(_ what: String) -> DatabaseError {
        let words = unsafe String(cString: PQerrorMessage(handle)).split(separator: "\n").joined(separator: "; ")
        return .unavailable(words.isEmpty ? what : "\(what): \(words)")
    }

    @unsafe private static func withCString<Result>(_ text: [UInt8], _ body: (UnsafePointer<CChar>?) -> Result)
        -> Result
    {
        unsafe (text + [0]).withUnsafeBytes { bytes in
            unsafe body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
    }
}

/// The values of one statement in libpq's form: text, except for binary data.
private struct ParameterList {
    /// All values one after the other, each followed by a zero byte.
    private var bytes: [UInt8] = []
    /// The offset of each value; `nil` for NULL.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [SQLValue]) throws(DatabaseError) {
        guard values.count <= 65_535 else { throw DatabaseError(.misuse, message: "too many values in one statement") }
        starts.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
            case .real(let real): bytes.append(contentsOf: "\(real)".utf8)
            case .blob(let blob): bytes.append(contentsOf: blob)
            case .text(let text):
                bytes.append(contentsOf: text.utf8)
                guard !bytes[start...].contains(0) else {
                    throw DatabaseError(.invalidText, message: "a bound text holds U+0000")
                }
            }
            starts.append(value == .null ? nil : start)
            lengths.append(Int32(clamping: bytes.count - start))
            if case .blob = value { formats.append(1) } else { formats.append(0) }
            bytes.append(0)
        }
    }

    @unsafe mutating func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let starts = starts
        return unsafe bytes.withUnsafeBytes { bytes in
            let pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
                unsafe start.flatMap { start in
                    unsafe bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                }
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(
                            Int32(starts.count),
                            pointers.baseAddress,
                            lengths.baseAddress,
                            formats.baseAddress
                        )
                    }
                }
            }
        }
    }
}
