internal import CSQLite
internal import Glibc

/// A prepared statement.
///
/// The statement is finalised when the last reference to it is dropped. The connection drops its own references before
/// it closes.
@safe final class SQLiteStatement: StatementCursor {
    private let handle: OpaquePointer
    private let columnCount: Int32
    private let parameterCount: Int32
    let isReadOnly: Bool
    /// Whether values are bound and the statement was not closed since, so that no other caller may use it.
    private(set) var isInUse = false
    /// The number of the statement's last use, as counted by its ``StatementCache``.
    var lastUse = 0
    /// The bound texts and blobs, one after the other.
    ///
    /// SQLite reads them in place, without a copy, until they are unbound.
    private var texts: UnsafeMutableRawBufferPointer

    /// The size in bytes up to which the buffer for texts is kept for the next use.
    ///
    /// Larger buffers are freed at once.
    private static let keptTextBytes = 16 * 1024

    /// Takes ownership of SQLite's statement.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
        columnCount = unsafe sqlite3_column_count(handle)
        parameterCount = unsafe sqlite3_bind_parameter_count(handle)
        isReadOnly = unsafe sqlite3_stmt_readonly(handle) != 0
        unsafe texts = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
        unsafe texts.deallocate()
    }

    /// Binds all values and marks the statement as in use.
    ///
    /// - Throws: `invalidText` for text with U+0000; `misuse` for a wrong number of values.
    func start(_ values: [SQLValue]) throws(DatabaseError) {
        isInUse = true
        do throws(DatabaseError) {
            guard values.count == Int(parameterCount) else {
                throw DatabaseError(.misuse, message: "\(values.count) values for \(parameterCount) binds")
            }
            try bind(values)
        } catch {
            close()
            throw error
        }
    }

    func step() throws(DatabaseError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw unsafe .sqlite(sqlite3_db_handle(handle), code: code)
        }
    }

    var changes: Int {
        isReadOnly ? 0 : unsafe Int(sqlite3_changes64(sqlite3_db_handle(handle)))
    }

    func close() {
        // "sqlite3_reset() … returns an appropriate error code" of the latest step, which was reported already.
        unsafe sqlite3_reset(handle)
        if parameterCount > 0 { unsafe sqlite3_clear_bindings(handle) }
        if unsafe texts.count > Self.keptTextBytes { resizeTexts(to: 0) }
        isInUse = false
    }

    func text(_ column: Int) throws(DatabaseError) -> String? {
        let index = try checked(column)
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            // The manual requires this order: first the text, then its size.
            guard let start = unsafe sqlite3_column_text(handle, index) else {
                throw DatabaseError(.internal, message: "out of memory")
            }
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
                throw DatabaseError(.invalidText, message: "column \(column) is not UTF-8")
            }
            return text
        default: throw DatabaseError(.misuse, message: "column \(column) is not text")
        }
    }

    func integer(_ column: Int) throws(DatabaseError) -> Int64? {
        let index = try checked(column)
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return unsafe sqlite3_column_int64(handle, index)
        default: throw DatabaseError(.misuse, message: "column \(column) is not an integer")
        }
    }

    func value(_ column: Int) throws(DatabaseError) -> SQLValue {
        let index = try checked(column)
        switch unsafe sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, index))
        case SQLITE_BLOB:
            // "The return value from sqlite3_column_blob() for a zero-length BLOB is a NULL pointer".
            let start = unsafe sqlite3_column_blob(handle, index)
            let count = unsafe Int(sqlite3_column_bytes(handle, index))
            return .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
        default: return try text(column).map { .text($0) } ?? .null
        }
    }

    private func checked(_ column: Int) throws(DatabaseError) -> Int32 {
        guard column >= 0, column < Int(columnCount) else {
            throw DatabaseError(.misuse, message: "there is no column \(column)")
        }
        return Int32(column)
    }

    private func bind(_ values: [SQLValue]) throws(DatabaseError) {
        var size = 0
        for value in values {
            switch value {
            case .text(let text): size += text.utf8.count
            case .blob(let bytes): size += bytes.count
            case .null, .integer, .real: break
            }
        }
        if unsafe size > texts.count { resizeTexts(to: max(size, 256)) }
        var offset = 0
        for (position, value) in values.enumerated() {
            let index = Int32(truncatingIfNeeded: position + 1)
            let code =
                switch value {
                case .null: unsafe sqlite3_bind_null(handle, index)
                case .integer(let integer): unsafe sqlite3_bind_int64(handle, index, integer)
                case .real(let real): unsafe sqlite3_bind_double(handle, index, real)
                case .blob(let bytes):
                    unsafe sqlite3_bind_blob64(handle, index, copy(bytes, at: &offset), UInt64(bytes.count), nil)
                case .text(let text):
                    unsafe sqlite3_bind_text64(
                        handle,
                        index,
                        try copy(text, at: &offset),
                        UInt64(text.utf8.count),
                        nil,
                        UInt8(SQLITE_UTF8)
                    )
                }
            guard code == SQLITE_OK else { throw unsafe .sqlite(sqlite3_db_handle(handle), code: code) }
        }
    }

    /// Copies a text into the buffer, after the previous value.
    ///
    /// - Returns: the start of the copy; never `nil`, which would bind NULL.
    /// - Throws: `invalidText` for a text with U+0000.
    private func copy(_ text: String, at offset: inout Int) throws(DatabaseError) -> UnsafePointer<CChar>? {
        var text = text
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: texts[offset...])
        let hasNUL = text.withUTF8 { bytes in
            guard let source = bytes.baseAddress, !bytes.isEmpty else { return false }
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(bytes))
            return unsafe memchr(source, 0, bytes.count) != nil
        }
        if hasNUL { throw DatabaseError(.invalidText, message: "a bound text holds U+0000") }
        offset += text.utf8.count
        return unsafe UnsafeRawPointer(room.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1)).map {
            unsafe $0.assumingMemoryBound(to: CChar.self)
        }
    }

    /// Copies bytes into the buffer, after the previous value.
    ///
    /// - Returns: the start of the copy; never `nil`, which would bind NULL.
    private func copy(_ bytes: [UInt8], at offset: inout Int) -> UnsafeRawPointer? {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: texts[offset...])
        unsafe room.copyBytes(from: bytes)
        offset += bytes.count
        return unsafe UnsafeRawPointer(room.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1))
    }

    private func resizeTexts(to size: Int) {
        unsafe texts.deallocate()
        unsafe texts =
            size == 0
            ? UnsafeMutableRawBufferPointer(start: nil, count: 0) : .allocate(byteCount: size, alignment: 1)
    }
}
