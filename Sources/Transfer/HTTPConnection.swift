internal import CCurl
internal import Glibc
internal import Network

/// An easy handle for HTTP, which keeps its connections for the next request.
///
/// Its calls block, and only one thread may use it at a time.
struct HTTPConnection: ~Copyable {
    var handle: EasyHandle

    private init(_ handle: consuming EasyHandle) {
        self.handle = handle
    }

    /// Sets up a handle without connecting.
    static func make() throws(TransferError) -> HTTPConnection {
        let handle = try EasyHandle.make()
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_USERAGENT, "latchkey")
        return HTTPConnection(handle)
    }

    /// Makes one request and waits for the whole response.
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
        try handle.observe(by: exchange)
        try unsafe handle.setOpenSocket(openHTTPSocket, exchange)
        defer { handle.detach(CURLOPT_HTTPHEADER, CURLOPT_RESOLVE) }
        let result = handle.perform()
        guard result == CURLE_OK else { throw exchange.error(result) }
        return HTTPResponse(
            status: handle.number(CURLINFO_RESPONSE_CODE),
            headers: exchange.head.headers,
            body: exchange.body
        )
    }

    private borrowing func setMethod(_ request: HTTPRequest) throws(TransferError) {
        // CURLOPT_HTTPGET also resets the options of an earlier HEAD or POST request.
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

/// The data that one exchange has received so far.
final class HTTPExchange: TransferObserver {
    private(set) var head = ResponseHead()
    private(set) var body: [UInt8] = []
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

    func mayContinue() -> Bool { !cancellation.isCancelled }

    /// Creates the socket for a connection to this address; -1 if the gate rejects the address or there is no socket.
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // The last field of a longer structure: an IPv6 address extends beyond the declared `sockaddr`.
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

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maximumBody - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = unsafe !head.add(line)
        return !isTooLarge
    }

    /// Returns the error for a result other than CURLE_OK.
    func error(_ result: CURLcode) -> TransferError {
        let code = Int(result.rawValue)
        if isTooLarge { return TransferError(.tooLarge, code: code, "the response is too large") }
        if isForbidden, result == CURLE_COULDNT_CONNECT {
            return TransferError(.forbidden, code: code, "the name resolves to an address that is not allowed")
        }
        return TransferError(http: result)
    }
}

extension TransferError {
    /// Creates an error from libcurl's result of an HTTP exchange.
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
private func openHTTPSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address else { return -1 }
    return unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().open(address)
}
