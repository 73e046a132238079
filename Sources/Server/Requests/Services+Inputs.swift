internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

extension Services {
    /// Parses an e-mail address.
    ///
    /// - Throws: ``Refusal`` INVALID_EMAIL.
    func address(_ text: String) throws -> EmailAddress {
        do { return try EmailAddress(parsing: text) } catch { throw Refusal(.invalidEmail) }
    }

    /// The ID token in the member `name` of a body; `nil` if there is none.
    ///
    /// The token's signature, issuer and audience are verified. Whether it has expired and its session is active is
    /// left to the transaction.
    ///
    /// - Throws: ``Refusal`` INVALID_ID_TOKEN, or ``RequestError`` for a value that is no string or too long.
    func presentedToken(_ body: RequestBody, named name: String = "idToken") throws -> PresentedToken? {
        guard let token = try body.nonEmptyString(name, limit: 16_384) else { return nil }
        return try idTokens.verify(token, at: clock() / 1000)
    }

    /// The ID token of an `Authorization: Bearer` header, for Latchkey's own calls.
    ///
    /// The token's signature, issuer and audience are verified. Whether it has expired and its session is active is
    /// left to the transaction.
    ///
    /// - Throws: ``Refusal`` MISSING_ID_TOKEN or INVALID_ID_TOKEN.
    func bearerToken(of request: Request) throws -> PresentedToken {
        guard let token = bearer(of: request), !token.isEmpty else { throw Refusal(.missingIDToken) }
        return try idTokens.verify(token, at: clock() / 1000)
    }

    /// Verifies the signature of an action code.
    ///
    /// Whether the code has expired is left to the transaction.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE.
    func actionCode(_ text: String) throws -> ActionCode {
        guard let code = try unverifiedExpiryActionCode(text) else { throw Refusal(.invalidOobCode) }
        return code
    }

    /// An action code with a valid signature, expired or not; `nil` for anything else.
    func unverifiedExpiryActionCode(_ text: String) throws -> ActionCode? {
        switch try ActionCode.verify(text, secrets: secrets, now: clock() / 1000) {
        case .valid(let code), .expired(let code): code
        case nil: nil
        }
    }

    /// Verifies the signature of a refresh token.
    ///
    /// - Throws: ``Refusal`` INVALID_REFRESH_TOKEN.
    func refreshToken(_ text: String) throws -> RefreshToken {
        guard let token = try RefreshToken.verify(text, secrets: secrets) else {
            throw Refusal(.invalidRefreshToken)
        }
        return token
    }

    /// The signed text of a ticket, as the client receives it.
    ///
    /// - Throws: ``Refusal`` INVALID_TICKET for a ticket whose ID is malformed.
    func wireTicket(_ ticket: Ticket) throws -> String {
        guard let id = TokenID(text: ticket.id) else { throw Refusal(.invalidTicket) }
        return try TicketToken.make(id: id, secrets: secrets)
    }

    /// Whether merges may run SQL of the operator's, such as triggers, and therefore must not share a transaction with
    /// other closures.
    ///
    /// Always false with PostgreSQL; true if the database cannot be read.
    var mergesRunAlone: Bool {
        // On a database server each closure has its own transaction anyway.
        guard database.isLocal else { return false }
        return (try? database.readNow(snapshot: false) { try $0.hasAssetTables() }) ?? true
    }

    /// Parses `onConflict` of a sign-in; if it is not given, `error`, or for Firebase's SDKs the setting
    /// `firebase.onConflict`.
    ///
    /// `report` counts against the client's limit of dry runs.
    ///
    /// - Throws: ``Refusal`` INVALID_ON_CONFLICT, TOO_MANY_ATTEMPTS_TRY_LATER, or ``RequestError`` for a value that is
    ///   no string or too long.
    func onConflict(_ body: RequestBody, of request: Request) throws -> OnConflict {
        guard let text = try body.nonEmptyString("onConflict") else {
            return request.isOfFirebaseSDK ? configuration.firebaseOnConflict : .error
        }
        guard let choice = OnConflict(rawValue: text) else { throw Refusal(.invalidOnConflict) }
        if choice == .report { try limiters.dryRuns.use(request.clientAddress, at: clock()) }
        return choice
    }
}
