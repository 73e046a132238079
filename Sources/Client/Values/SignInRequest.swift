#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A mail with a sign-in link that was asked for: what the asking device needs to go on.
public struct SignInRequest: Sendable, Equatable, Codable, CustomStringConvertible {
    /// Where the mail goes, in the server's spelling.
    public let email: String
    /// Redeems the code in the mail, or collects the session once the link was approved elsewhere.
    ///
    /// A secret.
    public let ticket: String
    /// Three digits to show on this device: the page behind the link asks for them.
    public let confirmation: String
    /// How long the link and the code work from when the e-mail leaves, in seconds; `nil` where the server did not say.
    ///
    /// The e-mail may leave later than the answer came, so go by ``AuthError/Code/ticketExpired`` and not by a clock.
    public let expiresIn: TimeInterval?
    /// When it was asked for, by this device's clock.
    public let date: Date

    /// The address and the digits, without the ticket.
    public var description: String { "sign-in request for \(email), digits \(confirmation)" }
}

/// How the sign-in mail should come about.
public struct SignInSettings: Sendable, Equatable {
    /// The page or app link to open after the link, on an origin that the server allows.
    ///
    /// Without one the server shows its own page.
    public var continueURL: String?
    /// Whether opening the link elsewhere gives the address to the anonymous user who is signed in here.
    ///
    /// With `false` the ticket signs in to the account that owns the address. No effect unless an anonymous user is
    /// signed in.
    public var linksAnonymousUser: Bool

    /// Makes settings.
    public init(continueURL: String? = nil, linksAnonymousUser: Bool = true) {
        self.continueURL = continueURL
        self.linksAnonymousUser = linksAnonymousUser
    }
}

/// A change of one field of the profile.
public enum ProfileField<Value: Sendable>: Sendable {
    /// Leave it as it is.
    case unchanged
    /// Give it this value.
    case set(Value)
    /// Clear it.
    case removed
}
