internal import CMicrohttpd
internal import Glibc
internal import Network
internal import Synchronization

// Callbacks of libmicrohttpd. Their context is the `ServerCore`, retained by `Daemon` from start to stop. A
// connection's own context is its `Connection`, retained when it starts and released when it is closed.

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    unsafe context.map { unsafe Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> Connection? {
    unsafe context.map { unsafe Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

@c func latchkey_http_notify(
    _ context: UnsafeMutableRawPointer?,
    _ pointer: OpaquePointer?,
    _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ event: MHD_ConnectionNotificationCode
) {
    guard let core = unsafe core(context), let pointer = unsafe pointer, let slot = unsafe socketContext else { return }
    switch event {
    case .CONNECTION_NOTIFY_STARTED:
        let handle = unsafe ConnectionHandle(pointer)
        if core.configuration.tls != nil { handle.recognizePlainHTTP() }
        let patience = core.configuration.requestDeadline
        let address = handle.address ?? .loopback
        let record = core.registry.add(
            socket: handle.socket,
            address: address,
            isTrusted: ClientAddress.isTrusted(address, core.configuration.trustedProxies),
            deadline: Moment.after(patience)
        )
        let connection = Connection(handle: handle, record: record, core: core)
        unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let own = unsafe slot.pointee else { return }
        unsafe slot.pointee = nil
        unsafe Unmanaged<Connection>.fromOpaque(own).takeRetainedValue().close()
    @unknown default:
        break
    }
}

/// Starts a request when its request line arrives.
///
/// Returns the request's context, the ``Connection``, which libmicrohttpd passes to the later callbacks; nil if the
/// connection has none.
@c func latchkey_http_begin(
    _ context: UnsafeMutableRawPointer?,
    _ target: UnsafePointer<CChar>?,
    _ pointer: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let pointer = unsafe pointer, let own = unsafe latchkey_http_socket_context(pointer) else { return nil }
    // The library is about to cut the target at its question mark and to split the query.
    let mark = unsafe target.flatMap { unsafe strchr($0, Int32(UInt8(ascii: "?"))) }
    unsafe connection(own)?.begin(query: mark.map { unsafe String(cString: $0 + 1) } ?? "")
    if let mark = unsafe mark { unsafe latchkey_http_join_parameters(mark + 1) }
    return unsafe own
}

@c func latchkey_http_handle(
    _ context: UnsafeMutableRawPointer?,
    _ pointer: OpaquePointer?,
    _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ piece: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?,
    _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let connection = unsafe connection(requestContext?.pointee), let count = unsafe count,
        let target = unsafe target, let method = unsafe method
    else { return .NO }
    let bytes = unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self),
        count: strlen(target)
    )
    let isWell = unsafe connection.handle(
        target: bytes,
        method: method,
        piece: UnsafeRawBufferPointer(start: piece, count: count.pointee)
    )
    unsafe count.pointee = 0
    return isWell ? .YES : .NO
}

@c func latchkey_http_complete(
    _ context: UnsafeMutableRawPointer?,
    _ pointer: OpaquePointer?,
    _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    unsafe connection(requestContext?.pointee)?.complete()
}

/// The beginnings of libmicrohttpd's complaints that a socket has no options of TCP.
///
/// The library (0.9.75) takes every connection that it is given for one of TCP. A Unix-domain socket delays no data, so
/// nothing is lost without these options.
private let complaintsAboutTCP = ["Setting TCP_", "Failed to push the data from buffers to the network."]

/// Reports a message of libmicrohttpd as ``ServerEvent/library(_:)``: its first line, cut to 511 bytes.
///
/// Leaves out complaints about options of TCP on a Unix-domain socket.
///
/// Not a `@c` function, which could not take a `va_list`.
let latchkeyHTTPLog: MHD_LogCallback = { context, format, arguments in
    guard let core = unsafe core(context), let format = unsafe format, let arguments = unsafe arguments else { return }
    var text = [CChar](repeating: 0, count: 512)
    unsafe vsnprintf(&text, text.count, format, arguments)
    let bytes = text.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    let message = String(decoding: bytes, as: UTF8.self)
    if core.listensOnFile, complaintsAboutTCP.contains(where: message.hasPrefix) { return }
    core.onEvent(.library(message))
}
