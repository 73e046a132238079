internal import CMicrohttpd
internal import Glibc
internal import Network

/// libmicrohttpd's connection.
///
/// It lives until its end was notified; `Connection` sees to it that nobody uses it later.
@safe struct ConnectionHandle: @unchecked Sendable {  // A pointer; each method says from which thread it may be called.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    /// Takes the connection out of its thread's event loop.
    ///
    /// Only from that thread.
    func suspend() {
        unsafe MHD_suspend_connection(pointer)
    }

    /// Puts a suspended connection back.
    ///
    /// From any thread, once per suspension, and never before it.
    func resume() {
        unsafe MHD_resume_connection(pointer)
    }

    /// Hands the answer over; false when libmicrohttpd does not take it.
    ///
    /// Only from the connection's thread.
    func queue(_ response: borrowing ResponseHandle, status: Int) -> Bool {
        unsafe response.withPointer { unsafe MHD_queue_response(pointer, UInt32(clamping: status), $0) == .YES }
    }

    /// Writes past libmicrohttpd, for the one answer that it does not take: a refusal while the body is arriving.
    func send(_ bytes: [UInt8], isEncrypted: Bool) -> Bool {
        unsafe latchkey_http_send(pointer, isEncrypted ? 1 : 0, bytes, bytes.count) == bytes.count
    }

    var socket: Int32 { unsafe latchkey_http_socket(pointer) }

    var address: IPAddress? { unsafe IPAddress(latchkey_http_client(pointer)) }

    /// Bytes that arrived and were not read.
    var unread: Int { Int(latchkey_http_unread(socket)) }

    /// Length of request line and header fields in bytes.
    var headSize: Int { unsafe latchkey_http_head_size(pointer) }

    /// The first value of a header field, as the client sent it.
    ///
    /// While the request lasts.
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
    /// While the request lasts.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        unsafe withUnsafeMutablePointer(to: &headers) { headers in
            _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, latchkey_http_collect_header, headers)
        }
        return headers
    }

    /// Looks at the header fields once for what must not be let in.
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

// libmicrohttpd calls these two once per header field, within `headers` and `checkHead`, with their local variable.

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
