/// A proof that the user owns a mailbox: an e-mail link, or a ticket.
///
/// ``AuthError/credential`` contains the unused proof if another user owns the address, so that the app can offer to
/// merge, or to sign in as that user.
public struct EmailCredential: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    enum Proof: Sendable, Equatable {
        case link(email: String, oobCode: String)
        case ticket(String, code: String?)
    }

    let proof: Proof

    init(_ proof: Proof) {
        self.proof = proof
    }

    /// Creates a credential from an e-mail link.
    ///
    /// - Parameters:
    ///   - link: the link, or the bare action code.
    ///   - email: the address that it was sent to.
    /// - Returns: the credential, which the server has yet to verify.
    /// - Throws: ``AuthError/Code/invalidActionCode`` when it is not a link for signing in.
    public static func link(_ link: String, email: String) throws(AuthError) -> Self {
        Self(.link(email: email, oobCode: try SignInLink.forSignIn(link).oobCode))
    }

    /// Creates a credential from the ticket of a requested e-mail.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: the eight digits in the e-mail, with or without spaces. `nil` collects a session approved on another
    ///     device.
    /// - Returns: the credential, which the server has yet to verify.
    public static func ticket(_ ticket: String, code: String? = nil) -> Self {
        Self(.ticket(ticket, code: code.map { $0.filter { !$0.isWhitespace } }))
    }

    /// The address that a link was sent to; `nil` for a ticket.
    public var email: String? {
        guard case .link(let email, _) = proof else { return nil }
        return email
    }

    /// The kind of credential in words, without secrets.
    public var description: String {
        switch proof {
        case .link: "an e-mail link"
        case .ticket(_, nil): "a ticket"
        case .ticket: "a ticket with its code"
        }
    }

    /// Hides the secrets from `dump` and debuggers' views.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
