/// What a listener to a user's documents receives: a change, or a turn of listening itself.
public enum DocumentEvent: Sendable, Equatable {
    /// Listening has begun: every change after this number will be reported. Read the current documents now.
    ///
    /// This is the first event, unless listening continues from a number.
    case ready(number: Int64)
    /// A document was set or updated. Its ``Document/version`` is the number of the change.
    case changed(Document)
    /// A document was deleted.
    case deleted(DocumentPath, number: Int64)
    /// Some changes since the last event are missing, because the server no longer keeps them. Read the documents
    /// again.
    ///
    /// Every change after this number will be reported.
    case reset(number: Int64)
    /// Listening has ended permanently. This is the last event.
    ///
    /// After a merge, `mergedInto` is the UID of the user to whom the documents moved. Otherwise it is `nil`.
    case ended(ListeningEnd, mergedInto: String? = nil)

    /// The number from which to continue with ``Documents/listen(in:after:)``; `nil` for ``ended(_:mergedInto:)``.
    public var number: Int64? {
        switch self {
        case .ready(let number), .deleted(_, let number), .reset(let number): number
        case .changed(let document): document.version
        case .ended: nil
        }
    }
}

/// The reason why listening ended.
public struct ListeningEnd: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The server's name of the reason.
    public let rawValue: String

    /// Creates a reason from the server's name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The server's name of the reason.
    public var description: String { rawValue }

    /// The user signed out on this device.
    public static let signedOut = Self(rawValue: "user.signed-out")
    /// All sessions of the user were ended.
    public static let revoked = Self(rawValue: "user.revoked")
    /// The user was merged into another one.
    public static let merged = Self(rawValue: "user.merged")
    /// The user was deleted.
    public static let deleted = Self(rawValue: "user.deleted")
    /// The user was disabled by an administrator.
    public static let disabled = Self(rawValue: "user.disabled")
    /// The session ended for another reason.
    public static let sessionEnded = Self(rawValue: "session.ended")
    static let tokenExpired = Self(rawValue: "token.expired")
    static let serverStopping = Self(rawValue: "server.stopping")
}
