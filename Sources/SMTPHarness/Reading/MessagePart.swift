/// One leaf of a message's tree of parts (RFC 2046).
package struct MessagePart: Sendable, Equatable {
    /// The media type in lower case, such as "text/plain", which is also used for a part without a usable type.
    package let contentType: String
    /// The character set in lower case, such as "utf-8"; "us-ascii" if the part names none.
    package let charset: String
    /// The name of the attached file; nil if the part has none.
    package let fileName: String?
    /// Whether the part is marked as an attachment or has a file name.
    package let isAttachment: Bool
    /// The content, decoded from base64 or quoted-printable.
    package let bytes: [UInt8]

    /// The content as text, with LF for CRLF.
    ///
    /// Character sets other than ISO-8859-1 and windows-1252 are read as UTF-8, whose invalid bytes become U+FFFD.
    package var text: String {
        Charset.decode(bytes, charset).replacingLineEnds
    }

    func isText(_ subtype: String) -> Bool { !isAttachment && contentType == "text/" + subtype }

    private static let maximumDepth = 10
    private static let maximumParts = 200

    /// Appends the leaves of a part's tree, up to 200 parts and 10 levels of multiparts.
    ///
    /// A multipart at a deeper level, or without a boundary, counts as a leaf.
    static func collect(headers: [HeaderField], body: ArraySlice<UInt8>, depth: Int, into parts: inout [MessagePart]) {
        guard parts.count < maximumParts else { return }
        let type = ContentType(headers.first(named: "Content-Type"))
        if type.value.hasPrefix("multipart/"), depth < maximumDepth, let boundary = type.parameters["boundary"],
            !boundary.isEmpty
        {
            for piece in Multipart.split(body, boundary: Array(boundary.utf8)).prefix(maximumParts) {
                let (headers, body) = HeaderField.read(piece)
                collect(headers: headers, body: body, depth: depth + 1, into: &parts)
            }
            return
        }
        let disposition = ContentType(headers.first(named: "Content-Disposition"))
        let name = disposition.parameters["filename"] ?? type.parameters["name"]
        parts.append(
            MessagePart(
                // Without a usable type a part is plain text (RFC 2045 §5.2).
                contentType: type.value.contains("/") ? type.value : "text/plain",
                charset: type.parameters["charset"]?.lowercased() ?? "us-ascii",
                fileName: name.map { DisplayText.clean(EncodedWords.decode($0)) },
                isAttachment: disposition.value == "attachment" || name != nil,
                bytes: TransferEncoding.decode(body, headers.first(named: "Content-Transfer-Encoding"))
            )
        )
    }
}

extension String {
    fileprivate var replacingLineEnds: String {
        guard utf8.contains(13) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if byte == 10, bytes.last == 13 { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
