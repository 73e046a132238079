internal import CCurl
internal import Glibc
internal import Network

/// An easy handle for HTTP, which keeps its connections for the next request.
///
/// Blocks; used by one thread at a time.
struct HTTPConnection: ~Copyable {
    var handle: EasyHandle

    private init(_ handle: consuming EasyHandle) {
        self.handle = handle
    }

    /// Sets a handle up; nothing is contacted yet.
    static func make() throws(TransferError) -> HTTPConnection {
        let handle = try EasyHandle.make()
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_USERAGENT, "latchkey")
        try handle.set(CURLOPT_NOPROGRESS, 0)
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, receiveHTTPBody)
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, receiveHTTPLine)
        try unsafe handle.setProgress(checkHTTPCancellation)
        return HTTPConnection(handle)
    }

    /// Makes one request and waits for the whole answer.
    mutating func send(
        _ request: HTTPRequest,
        _ limits: HTTPClient.Limits,
        _ cancellation: Cancellation
    ) throws(TransferError) -> HTTPResponse {
        let url = try URLParts(request.url)
        guard ["http", "https"].contains(url.scheme) else {
            throw TransferError(.invalid, "the scheme is neither http nor https")
        }
        guard HTTPRequest.isToken(request.method) else { throw TransferError(.invalid, "not a method") }
        let lines = try StringList(request.headerLines())
        try handle.set(CURLOPT_URL, request.url)
        try handle.set(CURLOPT_HTTPHEADER, lines)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout)
        try handle.set(CURLOPT_TIMEOUT_MS, limits.totalTimeout)
        if let file = limits.caFile { try handle.trust(onlyFile: file) }
        try setMethod(request)
        let names = try StringList(limits.names)
        try handle.set(CURLOPT_RESOLVE, names)
        let exchange = HTTPExchange(maximumBody: limits.maximumBody, gate: limits.gate, cancellation)
        try unsafe handle.setOpenSocket(openHTTPSocket)
        try handle.attach(
            exchange,
            to: CURLOPT_WRITEDATA,
            CURLOPT_HEADERDATA,
            CURLOPT_XFERINFODATA,
            CURLOPT_OPENSOCKETDATA
        )
        defer { handle.detach(CURLOPT_HTTPHEADER, CURLOPT_RESOLVE) }
        let result = handle.perform()
        guard result == CURLE_OK else { throw exchange.error(result) }
        return HTTPResponse(
            status: handle.number(CURLINFO_RESPONSE_CODE),
            headers: exchange.headers,
            body: exchange.body
        )
    }

    private borrowing func setMethod(_ request: HTTPRequest) throws(TransferError) {
        // HTTPGET also ends what NOBODY and POST of an earlier request set.
        try handle.set(CURLOPT_HTTPGET, 1)
        if let body = request.body {
            try handle.set(CURLOPT_POST, 1)
            try handle.setBody(body)
        } else if request.method == "HEAD" {
            try handle.set(CURLOPT_NOBODY, 1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
    }
}

/// What one exchange has received so far.
final class HTTPExchange {
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private var headerBytes = 0
    private var isTooLarge = false
    private var isForbidden = false
    private let maximumBody: Int
    private let gate: AddressGate
    private let cancellation: Cancellation

    init(maximumBody: Int, gate: AddressGate, _ cancellation: Cancellation) {
        self.maximumBody = maximumBody
        self.gate = gate
        self.cancellation = cancellation
    }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Opens the socket for a connection to that very address, unless the gate is shut to it.
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // The last field of a longer structure: an IPv6 address goes on beyond what `sockaddr` declares.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let socketAddress = unsafe UnsafeRawPointer(address).advanced(by: offset)
        guard unsafe gate.allows(socketAddress.assumingMemoryBound(to: sockaddr.self)) else {
            isForbidden = true
            return -1
        }
        return unsafe socket(
            address.pointee.family,
            address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol
        )
    }

    /// Takes a piece of the body; false stops the exchange.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maximumBody - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes a line of the head; false stops the exchange.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= 64 << 10 else {
            isTooLarge = true
            return false
        }
        // A status line begins a head; one of 100 Continue comes before the real one.
        if unsafe line.starts(with: "HTTP/".utf8) {
            headers = []
            return true
        }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let name = unsafe String(decoding: line[..<colon], as: UTF8.self)
        let value = unsafe line[(colon + 1)...].split(whereSeparator: { [0x20, 0x09, 0x0D, 0x0A].contains($0) })
            .map { unsafe String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        headers.append((name, value))
        return true
    }

    /// What a result other than CURLE_OK means.
    func error(_ result: CURLcode) -> TransferError {
        let code = Int(result.rawValue)
        if isTooLarge { return TransferError(.tooLarge, code: code, "the answer is too large") }
        if isForbidden, result == CURLE_COULDNT_CONNECT {
            return TransferError(.forbidden, code: code, "the name leads to an address that may not be connected to")
        }
        return TransferError(http: result)
    }
}

extension TransferError {
    /// What libcurl's result of an HTTP exchange means by itself.
    init(http result: CURLcode) {
        let kind: Kind =
            switch result {
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .untrusted
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalid
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
                CURLE_RECV_ERROR, CURLE_SSL_CONNECT_ERROR, CURLE_PARTIAL_FILE:
                .unreachable
            default: .other
            }
        self.init(kind, code: Int(result.rawValue), result.sentence)
    }
}

/// libcurl's CURLOPT_OPENSOCKETFUNCTION, called with each address that it is about to connect to.
func openHTTPSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address else { return -1 }
    return unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().open(address)
}

/// libcurl's CURLOPT_WRITEFUNCTION.
func receiveHTTPBody(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    // "size is always 1", says the manual; fewer bytes than given back means "stop", and nothing to take is not that.
    return unsafe exchange.receiveBody(UnsafeRawBufferPointer(start: data, count: count))
        ? count : Int(count == 0 ? 1 : 0)
}

/// libcurl's CURLOPT_HEADERFUNCTION.
func receiveHTTPLine(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    return unsafe exchange.receiveLine(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
}

/// libcurl's CURLOPT_XFERINFOFUNCTION, called about once a second: anything but 0 ends the transfer.
func checkHTTPCancellation(
    _ context: UnsafeMutableRawPointer?,
    _: Int,
    _: Int,
    _: Int,
    _: Int
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
}
