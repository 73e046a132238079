/// What proves to the server that somebody has the mailbox of an address: a mailed link, or a ticket.
///
/// An ``AuthError`` carries one where the proof is good and not used up, so that the app can offer to go on.
public struct EmailCredential: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    enum Proof: Sendable, Equatable {
        case link(email: String, oobCode: String)
        case ticket(String, code: String?)
    }

    let proof: Proof

    init(_ proof: Proof) {
        self.proof = proof
    }

    /// The link that was mailed to an address.
    ///
    /// - Parameters:
    ///   - link: The link, or the bare action code.
    ///   - email: The address.
    /// - Returns: The proof; whether it is good, the server says.
    /// - Throws: ``AuthError/Code/invalidActionCode`` when this is no link for signing in.
    public static func link(_ link: String, email: String) throws(AuthError) -> Self {
        guard let link = SignInLink(link) else {
            throw AuthError(.invalidActionCode, detail: "there is no action code in this link")
        }
        guard link.isForSignIn else {
            throw AuthError(.invalidActionCode, detail: "this link is not for signing in")
        }
        return Self(.link(email: email, oobCode: link.oobCode))
    }

    /// The ticket that answered the request for the mail.
    ///
    /// - Parameters:
    ///   - ticket: ``SignInRequest/ticket``.
    ///   - code: The eight digits in the e-mail, with or without spaces. `nil` collects what was approved on another device.
    /// - Returns: The proof; whether it is good, the server says.
    public static func ticket(_ ticket: String, code: String? = nil) -> Self {
        Self(.ticket(ticket, code: code.map { $0.filter { !$0.isWhitespace } }))
    }

    /// The address, where it is known without asking the server.
    public var email: String? {
        guard case .link(let email, _) = proof else { return nil }
        return email
    }

    /// Which kind it is; no secrets.
    public var description: String {
        switch proof {
        case .link: "a mailed link"
        case .ticket(_, nil): "a ticket"
        case .ticket: "a ticket with its code"
        }
    }

    /// Hides the secrets from `dump` and debuggers' views.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
