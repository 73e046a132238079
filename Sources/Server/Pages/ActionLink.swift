internal import Accounts
internal import HTTPServer
internal import Tokens

/// The link with an action code, as an e-mail or the response to an administrator contains it (contract, 3.14).
struct ActionLink: Sendable {
    let purpose: ActionPurpose
    /// The action code in its wire format.
    let code: String
    let locale: String
    let continueURL: String?
    /// The public id of the request that a sign-in link belongs to; `nil` for other links, and where it is unknown.
    ///
    /// It is the ticket's id. It authorizes nothing: clients compare it with the id that they got for their request.
    let requestID: String?

    /// The path that links open.
    static let path = "/auth/action"
    /// A placeholder: clients require a key in the link, but any key works.
    static let apiKey = "latchkey"
    /// The name of the parameter with ``requestID``.
    static let requestIDParameter = "latchkeyRequestId"

    /// The link as the e-mail shows it.
    ///
    /// - Parameters:
    ///   - publicURL: the server's public URL, which never depends on a request (invariant 6).
    ///   - path: the path that the link opens.
    ///   - apiKey: any key.
    func url(publicURL: String, path: String = path, apiKey: String = apiKey) -> String {
        let link = "\(publicURL)\(path)?\(query(apiKey))"
        guard let continueURL else { return link }
        return "\(link)&continueUrl=\(PercentEncoding.component(continueURL))"
    }

    /// The URL to which a sign-in link with a continue URL redirects: the continue URL with the code, for the app to
    /// redeem.
    ///
    /// - Parameter url: an allowed URL without fragment.
    func continuation(to url: String) -> String {
        let bare = ContinueURL.withoutActionParameters(url)
        return "\(bare)\(bare.contains("?") ? "&" : "?")\(query(Self.apiKey))"
    }

    private func query(_ apiKey: String) -> String {
        let query = "mode=\(purpose.mode)&lang=\(PercentEncoding.component(locale))&oobCode=\(code)&apiKey=\(apiKey)"
        return requestID.map { "\(query)&\(Self.requestIDParameter)=\($0)" } ?? query
    }

    /// The request's public id in the query of an opened link; `nil` if there is none, or it has another form.
    ///
    /// It is not compared with the request of the link's code.
    static func requestID(in request: Request) -> String? {
        request.queryValue(requestIDParameter).flatMap { TokenID(text: $0) }?.text
    }
}

/// Percent-encoding of a URL component (RFC 3986, section 2.3: all but the unreserved characters).
enum PercentEncoding {
    /// Encodes a text.
    static func component(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 2)
        let hex = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
