internal import CMicrohttpd
internal import Glibc
internal import Network

/// A connection of libmicrohttpd.
///
/// The handle is valid until libmicrohttpd reports the end of the connection. `Connection` ensures that it is not used
/// later.
@safe struct ConnectionHandle: @unchecked Sendable {  // A pointer; each method documents its threads.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    /// Removes the connection from its thread's event loop.
    ///
    /// Call it only on that thread.
    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    /// Returns a suspended connection to the event loop.
    ///
    /// Callable from any thread, once per suspension, and never before it.
    func resume() {
        unsafe MHD_resume_connection(pointer)
    }

    /// Queues the response; false if libmicrohttpd does not accept it.
    ///
    /// Call it only on the connection's thread.
    func queue(_ response: borrowing ResponseHandle, status: Int) -> Bool {
        unsafe response.withPointer { unsafe MHD_queue_response(pointer, UInt32(clamping: status), $0) == .YES }
    }

    /// Writes directly to the connection, for the one response that libmicrohttpd does not accept: a rejection while
    /// the body arrives.
    ///
    /// Returns whether all bytes were written. Call it only on the connection's thread.
    func send(_ bytes: [UInt8], isEncrypted: Bool) -> Bool {
        unsafe latchkey_http_send(pointer, isEncrypted ? 1 : 0, bytes, bytes.count) == bytes.count
    }

    /// Makes a new connection of TLS answer a request of plain HTTP with 400 and a text.
    ///
    /// Call it before the connection's first byte is read.
    func recognizePlainHTTP() {
        unsafe latchkey_http_recognize_plain(pointer)
    }

    var socket: Int32 { unsafe latchkey_http_socket(pointer) }

    /// The number of the user at the other end of a Unix-domain socket, as of the connection's beginning; nil if the
    /// system does not tell.
    var peerUser: UInt32? {
        let user = latchkey_http_peer_user(socket)
        return UInt32(exactly: user)
    }

    var address: IPAddress? { unsafe IPAddress(latchkey_http_client(pointer)) }

    /// The number of bytes that arrived at the socket and were not read from it.
    var unread: Int { Int(latchkey_http_unread(socket)) }

    /// The milliseconds since data last arrived at the socket, whether or not it was read; -1 if the system does not
    /// tell, as for Unix-domain sockets.
    var sinceData: Int { Int(latchkey_http_since_data(socket)) }

    /// Whether the client has closed the connection, or its own direction of it.
    ///
    /// Callable from any thread while the connection is suspended.
    var isClosedByClient: Bool { latchkey_http_is_closed(socket) != 0 }

    /// The length of request line and header fields in bytes.
    var headSize: Int { unsafe latchkey_http_head_size(pointer) }

    /// Returns the first value of a header field, as the client sent it; nil without one.
    ///
    /// Valid only during the request.
    func header(_ name: String) -> String? {
        var name = name
        return name.withUTF8 { name in
            unsafe name.withMemoryRebound(to: CChar.self) { name in
                var value: UnsafePointer<CChar>?
                var count = 0
                let found = unsafe MHD_lookup_connection_value_n(
                    pointer,
                    .HEADER_KIND,
                    name.baseAddress,
                    name.count,
                    &value,
                    &count
                )
                guard found == .YES else { return nil }
                guard let value = unsafe value else { return "" }
                return unsafe ConnectionHandle.text(value, count)
            }
        }
    }

    /// All header fields in order.
    ///
    /// Valid only during the request.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        unsafe withUnsafeMutablePointer(to: &headers) { headers in
            _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, latchkey_http_collect_header, headers)
        }
        return headers
    }

    /// Examines all header fields of the current request in one pass, and returns what they say.
    func checkHead() -> HeadCheck {
        var check = HeadCheck()
        unsafe withUnsafeMutablePointer(to: &check) { check in
            _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, latchkey_http_check_header, check)
        }
        return check
    }

    fileprivate static func text(_ pointer: UnsafePointer<CChar>, _ count: Int) -> String {
        unsafe String(
            decoding: UnsafeRawBufferPointer(start: pointer, count: count),
            as: UTF8.self
        )
    }
}

// libmicrohttpd calls these two once per header field, from `headers` and `checkHead`, with their local variable.

@c private func latchkey_http_collect_header(
    _ context: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameCount: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueCount: Int
) -> MHD_Result {
    guard let context = unsafe context, let name = unsafe name else { return .NO }
    let value = unsafe value.map { unsafe ConnectionHandle.text($0, valueCount) } ?? ""
    unsafe context.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
        .append((name: ConnectionHandle.text(name, nameCount), value: value))
    return .YES
}

@c private func latchkey_http_check_header(
    _ context: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameCount: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueCount: Int
) -> MHD_Result {
    guard let context = unsafe context else { return .NO }
    unsafe context.assumingMemoryBound(to: HeadCheck.self).pointee.look(
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: valueCount)
    )
    return .YES
}
