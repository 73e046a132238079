internal import Tokens

extension AccountFlows {
    /// The code in a ticket's e-mail, without spaces.
    ///
    /// - Throws: ``Refusal`` TICKET_EXPIRED if the server's secret for the code was removed.
    func signInCode(of ticket: Ticket) throws -> String {
        guard let id = TokenID(text: ticket.id),
            let code = try SignInCode.code(ticket.codeForm, ticket: id, keyID: ticket.keyID, secrets: secrets)
        else { throw Refusal(.ticketExpired) }
        return code
    }

    /// Returns the digits that the device that asked for a ticket shows.
    ///
    /// - Throws: ``Refusal`` TICKET_EXPIRED if the server's secret for the digits was removed.
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

    /// Whether a text is a ticket's sign-in code; takes the same time for all wrong codes.
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

    /// Whether a text is the digits that a ticket's device shows; takes the same time for all wrong digits.
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
