internal import CCurl

/// One GET request over a new connection, with what the connection tells about TLS.
package struct HTTPProbe: Sendable {
    package let result: Result<HTTPResponse, TransferError>
    /// Version and cipher of TLS; `nil` for a connection in clear text.
    package let tls: String?
    /// When the server's certificate expires, in milliseconds since 1970; `nil` if it is not known.
    package let certificateExpiry: Int64?
    /// Why the certificate is not accepted; `nil` if it is.
    package let certificateProblem: String?
    /// How long the request took.
    package let time: Duration

    /// Makes the request.
    package static func get(_ url: String, _ limits: HTTPClient.Limits) async -> HTTPProbe {
        await BlockingQueue(label: "latchkey.http-probe").run {
            let notes = TLSNotes()
            let start = ContinuousClock.now
            let result: Result<HTTPResponse, TransferError>
            do throws(TransferError) {
                var connection = try HTTPConnection.make()
                try unsafe connection.handle.setDebug(observeTLS, notes)
                result = .success(try connection.send(HTTPRequest("GET", url), limits, Cancellation()))
            } catch {
                result = .failure(error)
            }
            return HTTPProbe(
                result: result,
                tls: notes.version,
                certificateExpiry: notes.expiry,
                certificateProblem: notes.problem,
                time: ContinuousClock.now - start
            )
        }
    }
}

/// libcurl's CURLOPT_DEBUGFUNCTION: passes its messages on.
private func observeTLS(
    _ handle: UnsafeMutableRawPointer?,
    _ type: curl_infotype,
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard type == CURLINFO_TEXT, let context = unsafe context else { return 0 }
    let notes = unsafe Unmanaged<TLSNotes>.fromOpaque(context).takeUnretainedValue()
    _ = unsafe notes.note(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}
