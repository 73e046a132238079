internal import CMicrohttpd

/// libmicrohttpd's response; it counts references, and this is one.
@safe struct ResponseHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// A whole response.
    ///
    /// - Parameters:
    ///   - response: what to send.
    ///   - extra: fields to send after its own.
    /// - Throws: `HTTPError.unsendable` when a field cannot be sent, or without memory.
    init(_ response: Response, extra: [(name: String, value: String)] = []) throws(HTTPError) {
        // Interim answers are the library's own.
        guard (200...599).contains(response.status) else { throw .unsendable }
        let made = unsafe response.body.withUnsafeBytes { body in
            // The library copies the body here and nothing afterwards.
            unsafe MHD_create_response_from_buffer(
                body.count,
                UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        unsafe pointer = try unsafe ResponseHandle.complete(made, response.headers, extra)
    }

    /// A response whose body comes from a stream; the stream is kept as long as the response.
    ///
    /// - Parameters:
    ///   - stream: where the body comes from.
    ///   - head: status and fields.
    ///   - extra: fields to send after its own.
    ///   - isHeadOnly: true in answer to HEAD. The library would end the missing chunked body even so (it sends the last
    ///     chunk); without chunks it does not, and closes the connection.
    /// - Throws: `HTTPError.unsendable` when a field cannot be sent, or without memory.
    init(
        streaming stream: StreamWriter,
        head: Response,
        extra: [(name: String, value: String)],
        isHeadOnly: Bool
    ) throws(HTTPError) {
        guard (200...599).contains(head.status) else { throw .unsendable }
        let context = unsafe Unmanaged.passRetained(stream)  // Released by `latchkey_http_release_stream`.
        let made = unsafe MHD_create_response_from_callback(
            UInt64.max,  // MHD_SIZE_UNKNOWN: a macro with a cast, not imported.
            512,  // Used only where there are no chunks, that is for HTTP/1.0; the library allocates it always.
            latchkey_http_read_stream,
            context.toOpaque(),
            latchkey_http_release_stream
        )
        if unsafe made == nil { unsafe context.release() }
        if isHeadOnly, let pointer = unsafe made { unsafe latchkey_http_forbid_chunks(pointer) }
        unsafe pointer = try unsafe ResponseHandle.complete(made, head.headers, extra)
    }

    deinit {
        unsafe MHD_destroy_response(pointer)
    }

    borrowing func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// Adds the fields, or destroys the response.
    private static func complete(
        _ made: OpaquePointer?,
        _ headers: [(name: String, value: String)],
        _ extra: [(name: String, value: String)]
    ) throws(HTTPError) -> OpaquePointer {
        guard let pointer = unsafe made else { throw .unsendable }
        guard unsafe add(headers, to: pointer), unsafe add(extra, to: pointer) else {
            unsafe MHD_destroy_response(pointer)
            throw .unsendable
        }
        return unsafe pointer
    }

    private static func add(_ headers: [(name: String, value: String)], to pointer: OpaquePointer) -> Bool {
        for header in headers where !header.value.isEmpty {
            // The library refuses line breaks; a NUL would cut the value short.
            let isAdded = unsafe MHD_add_response_header(pointer, header.name, header.value) == .YES
            guard isAdded, !header.value.utf8.contains(0) else { return false }
        }
        return true
    }
}

@c private func latchkey_http_read_stream(
    _ context: UnsafeMutableRawPointer?,
    _ position: UInt64,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int
) -> Int {
    guard let context = unsafe context, let buffer = unsafe buffer else { return StreamWriter.endWithError }
    let stream = unsafe Unmanaged<StreamWriter>.fromOpaque(context).takeUnretainedValue()
    return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
}

/// Releases what `ResponseHandle.init(streaming:)` retained.
@c private func latchkey_http_release_stream(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamWriter>.fromOpaque(context).release()
}
