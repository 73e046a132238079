/// What a listener hears.
public enum DocumentEvent: Sendable, Equatable {
    /// Every change after this number will be told: read now what there is.
    ///
    /// The first event, unless listening goes on from a number.
    case ready(number: Int64)
    /// A document was set or updated; its ``Document/version`` is the number of the change.
    case changed(Document)
    /// A document was deleted.
    case deleted(DocumentPath, number: Int64)
    /// Changes were missed that the server does not keep any more: read again what there is.
    ///
    /// Every change after this number will be told.
    case reset(number: Int64)
    /// Listening is over for good; the last event.
    ///
    /// After a merge it names the user who has the documents now.
    case ended(ListeningEnd, mergedInto: String? = nil)

    /// The number to go on from with ``Documents/listen(in:after:)``.
    public var number: Int64? {
        switch self {
        case .ready(let number), .deleted(_, let number), .reset(let number): number
        case .changed(let document): document.version
        case .ended: nil
        }
    }
}

/// Why listening is over.
public struct ListeningEnd: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The server's word for it.
    public let rawValue: String

    /// Makes a reason of the server's word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The server's word for it.
    public var description: String { rawValue }

    /// The user signed out on this device.
    public static let signedOut = Self(rawValue: "user.signed-out")
    /// All sessions of the user were ended.
    public static let revoked = Self(rawValue: "user.revoked")
    /// The user was merged into another one.
    public static let merged = Self(rawValue: "user.merged")
    /// The user was deleted.
    public static let deleted = Self(rawValue: "user.deleted")
    /// An administrator disabled the user.
    public static let disabled = Self(rawValue: "user.disabled")
    /// The session ended otherwise.
    public static let sessionEnded = Self(rawValue: "session.ended")
    static let tokenExpired = Self(rawValue: "token.expired")
    static let serverStopping = Self(rawValue: "server.stopping")
}
