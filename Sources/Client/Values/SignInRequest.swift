#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A requested sign-in e-mail: what the asking device needs to continue.
public struct SignInRequest: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The public ID of the request, which the link in the e-mail carries too; `nil` from servers that answer none.
    ///
    /// The ID is not secret, because it grants no access. ``Auth/isRequestedHere(_:)`` compares it with that of a link.
    public let id: String?
    /// The recipient's address, in the server's spelling.
    public let email: String
    /// The ticket, which redeems the code in the e-mail, or collects the session once the link was approved elsewhere.
    ///
    /// A secret.
    public let ticket: String
    /// Three digits to show on this device.
    ///
    /// The page behind the link in the e-mail asks the user for these digits.
    public let confirmation: String
    /// How long the link and the code are valid after the e-mail is sent, in seconds; `nil` if unknown.
    ///
    /// The e-mail may be sent later than the answer arrived, so rely on ``AuthError/Code/ticketExpired`` and not on a
    /// clock.
    public let expiresIn: TimeInterval?
    /// When the e-mail was requested, in whole seconds by this device's clock.
    public let date: Date

    /// The address and the digits, without the ticket.
    public var description: String { "sign-in request for \(email), digits \(confirmation)" }
}

/// The settings of a sign-in e-mail.
public struct SignInSettings: Sendable, Equatable {
    /// The page or app link to open after the link, on an origin that the server allows.
    ///
    /// If it is `nil`, the server shows its own page.
    public var continueURL: String?
    /// Whether the e-mail's link, code and ticket link the address to the anonymous user who is signed in here.
    ///
    /// If `false`, they sign in to the account of the address. The value has no effect unless an anonymous user is
    /// signed in.
    public var linksAnonymousUser: Bool

    /// Creates settings.
    public init(continueURL: String? = nil, linksAnonymousUser: Bool = true) {
        self.continueURL = continueURL
        self.linksAnonymousUser = linksAnonymousUser
    }
}

/// A change of one field of the profile.
public enum ProfileField<Value: Sendable>: Sendable {
    /// Keep the value.
    case unchanged
    /// Set this value.
    case set(Value)
    /// Remove the value.
    case removed
}
