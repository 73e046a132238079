#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The request that a sign-in link belongs to, as an app shows it before the link is used.
///
/// ``Auth/describe(_:)`` returns it.
public struct SignInLinkDescription: Sendable, Equatable {
    /// What has become of the request.
    ///
    /// Servers may answer further states, so a `switch` needs a `default`.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// The server's word for the state.
        public let rawValue: String

        /// Creates a state from the server's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The link works: it can be approved, denied or redeemed.
        public static let waiting = Self(rawValue: "waiting")
        /// The sign-in was approved, and the device that asked is about to collect it.
        public static let approved = Self(rawValue: "approved")
        /// The request was redeemed, here or on another device.
        public static let used = Self(rawValue: "used")
        /// The request was denied, or ended by wrong digits or wrong codes.
        public static let ended = Self(rawValue: "ended")
        /// The link has expired; the page at ``SignInLinkDescription/approveURL`` offers a new e-mail.
        public static let expired = Self(rawValue: "expired")
    }

    /// The public ID of the request, as in ``SignInRequest/id``.
    public let requestID: String
    /// The address that the link signs in, masked, such as `a***@example.com`.
    public let maskedEmail: String
    /// The device that asked, such as `Firefox · Linux`; `nil` if unknown.
    ///
    /// The asking device chooses this text. Show it as plain text.
    public let device: String?
    /// The approximate location of the device that asked; `nil` if the server does not know it.
    public let place: String?
    /// When the sign-in was requested.
    public let date: Date
    /// What has become of the request.
    public let state: State
    /// The server's page on which the person approves the sign-in on the device that asked.
    ///
    /// It contains the link's code, so it is as secret as the link.
    public let approveURL: URL

    init?(_ response: SignInLinkResponse) {
        guard let date = WireDate.date(response.requestedAt), let approveURL = URL(string: response.approveUrl) else {
            return nil
        }
        requestID = response.requestId
        maskedEmail = response.email
        device = response.device
        place = response.place
        self.date = date
        state = State(rawValue: response.state)
        self.approveURL = approveURL
    }
}
