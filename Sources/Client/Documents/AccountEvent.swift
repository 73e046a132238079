internal import JSON

/// A hint that something about the signed-in user's account has changed: look the user up with ``Auth/reload()``.
///
/// A newer server may send kinds without a name here. They mean the same.
public struct AccountEvent: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The server's name of the kind.
    public let rawValue: String

    /// Creates a kind from the server's name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The server's name of the kind.
    public var description: String { rawValue }

    /// The anonymous user got a sign-in method, here or on another device.
    public static let linked = Self(rawValue: "linked")
    /// An anonymous user was merged into the user.
    public static let merged = Self(rawValue: "merged")
    /// Another session of the user has ended.
    public static let sessionEnded = Self(rawValue: "sessionEnded")
    /// The user's profile, address, username, providers or claims have changed.
    public static let updated = Self(rawValue: "updated")

    /// Reads the data of an event `account`; `nil` if it has no kind.
    init?(_ event: ServerEvent) {
        guard let kind = JSONValue.parse(answer: Array(event.data.utf8))?["type"]?.string else { return nil }
        self.init(rawValue: kind)
    }
}
