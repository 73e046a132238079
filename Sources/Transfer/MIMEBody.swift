internal import CCurl

/// A multipart/alternative body, made by libcurl's encoder: the text, then the HTML, both quoted-printable UTF-8.
///
/// libcurl writes the body while sending, with a new boundary each time. Everything else is the same in every attempt.
@safe
struct MIMEBody: ~Copyable {
    let mime: OpaquePointer

    private init(owning mime: OpaquePointer) {
        unsafe self.mime = unsafe mime
    }

    /// Creates the two-part body of an e-mail for the handle's next transfer.
    static func make(
        text: String,
        html: String,
        for handle: borrowing EasyHandle
    ) throws(TransferError) -> MIMEBody {
        guard let mime = unsafe handle.makeMIME() else { throw TransferError(.other, "out of memory") }
        let body = unsafe MIMEBody(owning: mime)
        // RFC 2046 section 5.1.4: the plainest format first, the preferred one last.
        try body.add(text, type: "text/plain; charset=utf-8")
        try body.add(html, type: "text/html; charset=utf-8")
        return body
    }

    deinit { unsafe curl_mime_free(mime) }

    private borrowing func add(_ content: String, type: String) throws(TransferError) {
        let bytes = Self.canonicalLines(content)
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> CURLcode in
            guard let part = unsafe curl_mime_addpart(mime) else { return CURLE_OUT_OF_MEMORY }
            let results = unsafe [
                curl_mime_type(part, type),
                curl_mime_encoder(part, "quoted-printable"),
                UnsafeRawPointer(buffer.baseAddress).map {
                    unsafe curl_mime_data(part, $0.assumingMemoryBound(to: CChar.self), buffer.count)
                } ?? curl_mime_data(part, "", 0),
            ]
            return results.first { $0 != CURLE_OK } ?? CURLE_OK
        }
        guard result == CURLE_OK else { throw TransferError(.other, code: Int(result.rawValue), result.sentence) }
    }

    /// Returns the UTF-8 bytes with every line ended by CR LF (RFC 2046 section 4.1.1), whatever ended it before.
    static func canonicalLines(_ content: String) -> [UInt8] {
        let source = Array(content.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + source.count / 16)
        var rest = source[...]
        while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            bytes += rest[..<end]
            bytes += [0x0D, 0x0A]
            let isPair = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        bytes += rest
        return bytes
    }
}
