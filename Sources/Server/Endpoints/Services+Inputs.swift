internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

extension Services {
    /// An address in canonical form.
    ///
    /// - Throws: ``Refusal`` INVALID_EMAIL.
    func address(_ text: String) throws -> EmailAddress {
        do { return try EmailAddress(parsing: text) } catch { throw Refusal(.invalidEmail) }
    }

    /// The ID token of a body, checked but for the database; `nil` where there is none.
    ///
    /// - Throws: ``Refusal`` INVALID_ID_TOKEN.
    func presentedToken(_ body: RequestBody, named name: String = "idToken") throws -> PresentedToken? {
        guard let token = try body.nonEmptyString(name, limit: 16_384) else { return nil }
        return try idTokens.verify(token, at: clock() / 1000)
    }

    /// Reads what comes after the token in the contract's order: what is wrong with it is told once the token is found good.
    ///
    /// - Throws: what is wrong with the token where the step is refused (contract, 3.3), else what the step throws.
    func afterToken<Value>(_ token: PresentedToken?, _ step: () throws -> Value) throws -> Value {
        do { return try step() } catch let refusal as Refusal {
            if let token { _ = try lookUp { [flows] in try flows.authenticate(token, in: $0) } }
            throw refusal
        }
    }

    /// The ID token of an `Authorization: Bearer` header, as our own calls take it, checked but for the database.
    ///
    /// - Throws: ``Refusal`` MISSING_ID_TOKEN or INVALID_ID_TOKEN.
    func bearerToken(of request: Request) throws -> PresentedToken {
        guard let token = bearer(of: request), !token.isEmpty else { throw Refusal(.missingIDToken) }
        return try idTokens.verify(token, at: clock() / 1000)
    }

    /// An action code whose signature is good.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE. Whether it has expired is for the transaction to say.
    func actionCode(_ text: String) throws -> ActionCode {
        guard let code = try unverifiedExpiryActionCode(text) else { throw Refusal(.invalidOobCode) }
        return code
    }

    /// An action code whose signature is good, whether or not it has expired; `nil` for anything else.
    func unverifiedExpiryActionCode(_ text: String) throws -> ActionCode? {
        switch try ActionCode.verify(text, secrets: secrets, now: clock() / 1000) {
        case .valid(let code), .expired(let code): code
        case nil: nil
        }
    }

    /// A refresh token whose signature is good.
    ///
    /// - Throws: ``Refusal`` INVALID_REFRESH_TOKEN.
    func refreshToken(_ text: String) throws -> RefreshToken {
        guard let token = try RefreshToken.verify(text, secrets: secrets) else {
            throw Refusal(.invalidRefreshToken)
        }
        return token
    }

    /// A ticket as its holder gets it.
    func wireTicket(_ ticket: Ticket) throws -> String {
        guard let id = TokenID(text: ticket.id) else { throw Refusal(.invalidTicket) }
        return try TicketToken.make(id: id, secrets: secrets)
    }

    /// Whether merges may run SQL that is not ours, and so share no commit with others.
    var mergesRunAlone: Bool {
        // Across a network each closure has a transaction of its own anyway.
        guard database.isLocal else { return false }
        return (try? database.readNow(snapshot: false) { try $0.hasAssetTables() }) ?? true
    }

    /// `onConflict` of a sign-in.
    ///
    /// - Throws: ``Refusal`` INVALID_ON_CONFLICT.
    func onConflict(_ body: RequestBody) throws -> OnConflict {
        guard let text = try body.nonEmptyString("onConflict") else { return .error }
        guard let choice = OnConflict(rawValue: text) else { throw Refusal(.invalidOnConflict) }
        return choice
    }
}
