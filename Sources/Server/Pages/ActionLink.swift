internal import Accounts

/// The link in a mail (contract, 3.14).
struct ActionLink: Sendable {
    let purpose: ActionPurpose
    /// The action code in wire form.
    let code: String
    let locale: String
    let continueURL: String?

    /// The path that answers links.
    static let path = "/auth/action"
    /// Clients want a key in the link; any will do.
    static let apiKey = "latchkey"

    /// The link as the mail shows it.
    ///
    /// - Parameters:
    ///   - publicURL: the configured one (invariant 6).
    ///   - path: what answers the link.
    ///   - apiKey: any will do.
    func url(publicURL: String, path: String = path, apiKey: String = apiKey) -> String {
        let link = "\(publicURL)\(path)?\(query(apiKey))"
        guard let continueURL else { return link }
        return "\(link)&continueUrl=\(PercentEncoding.component(continueURL))"
    }

    /// Where a link with a continue URL leads: there, with the code, for the app to redeem.
    ///
    /// - Parameter url: an allowed URL without fragment.
    func continuation(to url: String) -> String {
        let bare = ContinueURL.withoutActionParameters(url)
        return "\(bare)\(bare.contains("?") ? "&" : "?")\(query(Self.apiKey))"
    }

    private func query(_ apiKey: String) -> String {
        "mode=\(purpose.mode)&lang=\(PercentEncoding.component(locale))&oobCode=\(code)&apiKey=\(apiKey)"
    }
}

/// Percent-encoding of a component of a URL (RFC 3986, section 2.3: all but the unreserved).
enum PercentEncoding {
    /// The encoded text.
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
