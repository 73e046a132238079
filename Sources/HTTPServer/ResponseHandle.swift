internal import CMicrohttpd

/// A counted reference to a response of libmicrohttpd.
@safe struct ResponseHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates a complete response.
    ///
    /// - Parameters:
    ///   - response: the response to send.
    ///   - extra: fields to send after its own.
    /// - Throws: `HTTPError.unsendable` for a status outside 200 to 599, a field that cannot be sent, or lack of
    ///   memory.
    init(_ response: Response, extra: [(name: String, value: String)] = []) throws(HTTPError) {
        // Interim responses are sent by the library itself.
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

    /// Creates a response whose body comes from a stream, which is kept as long as the response.
    ///
    /// - Parameters:
    ///   - stream: the source of the body.
    ///   - head: status and fields.
    ///   - extra: fields to send after its own.
    ///   - isHeadOnly: true in response to HEAD. Otherwise the library would send the last chunk of a body that is
    ///     absent. Without chunks it does not, and closes the connection.
    /// - Throws: `HTTPError.unsendable` for a status outside 200 to 599, a field that cannot be sent, or lack of
    ///   memory.
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

    /// Adds the fields to a response of libmicrohttpd and returns it.
    ///
    /// - Throws: `HTTPError.unsendable` if there is no response or a field cannot be added; the response is then
    ///   destroyed.
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
            // The library rejects line breaks. A NUL would cut the value short.
            // A String that is passed as a C string would be copied to the heap.
            let isAdded = unsafe header.name.withCString { name in
                unsafe header.value.withCString { unsafe MHD_add_response_header(pointer, name, $0) == .YES }
            }
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
