internal import Tokens

extension AccountFlows {
    /// The code in a ticket's e-mail, without spaces.
    ///
    /// - Throws: ``Refusal`` TICKET_EXPIRED where the secret it was made under is no longer among the server's.
    func signInCode(of ticket: Ticket) throws -> String {
        guard let id = TokenID(text: ticket.id),
            let code = try SignInCode.code(ticket.codeForm, ticket: id, keyID: ticket.keyID, secrets: secrets)
        else { throw Refusal(.ticketExpired) }
        return code
    }

    /// The digits that the device which asked for a ticket shows.
    ///
    /// - Throws: ``Refusal`` TICKET_EXPIRED where the secret it was made under is no longer among the server's.
    package func confirmation(of ticket: Ticket) throws -> String {
        guard let id = TokenID(text: ticket.id),
            let digits = try SignInCode.confirmation(
                ticket.codeForm,
                ticket: id,
                keyID: ticket.keyID,
                secrets: secrets
            )
        else { throw Refusal(.ticketExpired) }
        return digits
    }

    /// Whether this is a ticket's sign-in code; takes the same time for every wrong one.
    func isSignInCode(_ text: String, of ticket: Ticket) throws -> Bool {
        guard let id = TokenID(text: ticket.id) else { return false }
        return try SignInCode.verify(
            code: text,
            ticket.codeForm,
            ticket: id,
            keyID: ticket.keyID,
            secrets: secrets
        )
    }

    /// Whether these are the digits that a ticket's device shows; takes the same time for all wrong digits.
    func isConfirmation(_ text: String, of ticket: Ticket) throws -> Bool {
        guard let id = TokenID(text: ticket.id) else { return false }
        return try SignInCode.verify(
            confirmation: text,
            ticket.codeForm,
            ticket: id,
            keyID: ticket.keyID,
            secrets: secrets
        )
    }
}
