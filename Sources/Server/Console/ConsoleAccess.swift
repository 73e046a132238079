internal import HTTPServer

/// The listeners on which the console is served.
package enum ConsoleAccess: String, Sendable, CaseIterable {
    case off
    /// The admin listener only.
    case adminListener
    /// The public listener too.
    case `public`
}

extension Configuration {
    /// Whether a listener serves the console.
    ///
    /// In development the public listener does unless the console is off.
    func servesConsole(on listener: ListenerName) -> Bool {
        switch console {
        case .off: false
        case .adminListener: listener == .admin || mode == .development && listener == .main
        case .public: listener == .admin || listener == .main
        }
    }
}

/// The paths of the console.
enum ConsolePath {
    static let front = "/console"
    static let open = "/console/open"
    static let signIn = "/console/sign-in"
    static let link = "/console/link"
    static let code = "/console/code"
    static let confirm = "/console/confirm"
    static let signOut = "/console/sign-out"
    static let style = "/console/style.css"
    static let script = "/console/console.js"
    static let users = "/console/users"
    static let mail = "/console/mail"
    static let cleanup = "/console/clean-up"
    static let refused = "/console/refused"
    static let lift = "/console/refused/lift"
    static let audit = "/console/audit"
    static let configuration = "/console/configuration"

    /// Whether a path belongs to the console.
    static func contains(_ path: String) -> Bool { path == front || path.hasPrefix("\(front)/") }

    /// The path of a user's page, or of one below it.
    static func user(_ uid: String, _ rest: String = "") -> String {
        "\(users)/\(encoded(uid))\(rest)"
    }

    /// A text as a segment of a path or as the value of a query: every byte but letters, digits, `-` and `_` is
    /// percent-encoded.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
