internal import Accounts
internal import HTTPServer
internal import JSON
internal import Network
internal import Tokens
internal import Transfer

extension Services {
    /// Wraps a handler of a call that may belong to Firebase.
    ///
    /// In the phase `pass`, the wrapper forwards calls without a token or code of this server to Firebase. All other calls go to `handler`. If no move is configured, this returns `handler` itself.
    ///
    /// - Parameters:
    ///   - call: the call at Firebase; `nil` for one that is not forwarded.
    ///   - handler: this server's own handler of the call.
    func forwarding(_ call: FirebaseCall?, _ handler: @escaping Handler) -> Handler {
        guard let move = firebaseMove, let call else { return handler }
        return { request in
            guard move.phase == .pass, self.bearer(of: request) == nil, !self.presentsValid(request) else {
                return try handler(request)
            }
            return try self.forward(call, request, move, own: handler)
        }
    }

    /// Forwards a call to Firebase, rebuilt from its parsed fields.
    ///
    /// A refresh token of this server's shape is never forwarded, whatever its signature.
    private func forward(
        _ call: FirebaseCall,
        _ request: Request,
        _ move: FirebaseMove,
        own handler: Handler
    ) throws -> Handling {
        if call.host == .tokens {
            let token = try RefreshParameters(request).refreshToken ?? ""
            if token.isEmpty || RefreshToken.hasShape(token) { return try handler(request) }
        }
        guard move.isOpen(at: clock()) else {
            move.metrics.countRefused(FirebaseUndecided.Reason.over.rawValue)
            return .response(FirebaseUndecided(.over).response)
        }
        guard let key = firebaseKey(of: request, move) else { return .response(refuseFirebaseKey()) }
        let question = try question(
            call,
            request,
            FirebaseAsker(key: key, of: request, admits: webOrigins.admits)
        )
        if let digest = question.digest, move.refused.contains(digest, at: clock()) {
            move.metrics.countRefused(Code.invalidRefreshToken.rawValue)
            throw Refusal(.invalidRefreshToken)
        }
        let makesUser = call.path == "/v1/accounts:signUp" && question.idToken == nil
        return .awaiting {
            do {
                let response = try await move.upstream.ask(question.request, of: call.host, for: request.clientAddress)
                let answer = try ForwardedAnswer(response, to: call, idToken: question.idToken)
                if let sighting = answer.sighting(at: self.clock()) { move.sightings.record(sighting) }
                if makesUser, answer.isDone { move.metrics.countSignUp() }
                if let code = answer.ending { move.metrics.countRefused(code) }
                if let digest = question.digest, answer.ending == Code.invalidRefreshToken.rawValue {
                    move.refused.insert(digest, at: self.clock())
                }
                return { .response(.json(status: response.status, response.body)) }
            } catch let undecided as FirebaseUndecided {
                move.metrics.countRefused(undecided.reason.rawValue)
                return { .response(undecided.response) }
            }
        }
    }

    /// Rebuilds a call for Firebase from the request's fields, after this server's own limits.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER; ``RequestError`` for a body that cannot be read.
    private func question(
        _ call: FirebaseCall,
        _ request: Request,
        _ asker: FirebaseAsker
    ) throws -> ForwardedQuestion {
        if call.host == .tokens {
            let token = try RefreshParameters(request).refreshToken ?? ""
            return ForwardedQuestion(
                request: asker.question(refreshing: token),
                digest: try flows.firebaseTokenDigests(token).first
            )
        }
        if call.method == .get {
            let query = ["clientType", "version"].compactMap { name in
                request.queryValue(name).flatMap { FirebaseAsker.isPlain($0) ? "&\(name)=\($0)" : nil }
            }
            return ForwardedQuestion(request: asker.question(.get, call.path, query: query.joined(), json: nil))
        }
        let body = try body(of: AuthorizedRequest(request: request, caller: .client))
        let idToken = try body.nonEmptyString("idToken", limit: 16_384)
        try limit(call, hasUser: idToken != nil, request)
        return ForwardedQuestion(request: asker.question(.post, call.path, json: body.object), idToken: idToken)
    }

    /// Counts a forwarded call against this server's own limits.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    private func limit(_ call: FirebaseCall, hasUser: Bool, _ request: Request) throws {
        switch call.path {
        case "/v1/accounts:signUp" where !hasUser: try limiters.guests.use(request.clientAddress, at: clock())
        case "/v1/accounts:sendOobCode": try limiters.links.use(request.clientAddress, at: clock())
        case "/v1/accounts:createAuthUri": try limiters.usernames.use(request.clientAddress, at: clock())
        default: break
        }
    }
}

/// A call that is about to be forwarded.
private struct ForwardedQuestion: Sendable {
    let request: HTTPRequest
    /// The ID token that the call carries; `nil` without one.
    var idToken: String?
    /// The keyed hash of the refresh token that the call carries; `nil` without one.
    var digest: String?
}

/// An answer of Firebase that may be passed on as it is.
private struct ForwardedAnswer {
    private let object: JSONObject?
    private let uid: String?
    private let isGuest: Bool?
    /// The code of a refusal that makes an SDK forget its user; `nil` for all other answers.
    let ending: String?

    var isDone: Bool { object != nil }

    /// Checks an answer.
    ///
    /// - Throws: ``FirebaseUndecided`` for an answer that must not be passed on, because it says nothing final about a
    ///   user and would make an SDK forget its own, or is about another user.
    init(_ response: HTTPResponse, to call: FirebaseCall, idToken: String?) throws {
        switch try FirebaseAnswer(response) {
        case .refused(let code):
            let isEnding = FirebaseAnswer.endings.contains(code)
            let isOfToken = code == (call.host == .tokens ? "INVALID_REFRESH_TOKEN" : "INVALID_ID_TOKEN")
            guard !call.isOfStoredUsers || isEnding || isOfToken else { throw FirebaseUndecided(.refused) }
            ending = isEnding || isOfToken ? code : nil
            object = nil
            uid = nil
            isGuest = nil
        case .done(let object):
            ending = nil
            self.object = object
            let own = idToken.flatMap { JWT.unverifiedClaims(of: $0)?["sub"]?.string }
            if call.path == "/v1/accounts:lookup" {
                guard let user = object["users"]?.array?.first?.object, let uid = user["localId"]?.string,
                    own == nil || uid == own
                else { throw FirebaseUndecided(.refused) }
                self.uid = uid
                isGuest = user["email"] == nil && user["providerUserInfo"]?.array?.isEmpty ?? true
            } else if let tokens = try FirebaseTokenSet(object) {
                uid = tokens.uid
                isGuest = tokens.isGuest
            } else {
                guard call.host != .tokens else { throw FirebaseUndecided(.refused) }
                uid = nil
                isGuest = nil
            }
        }
    }

    /// The user that the answer names; `nil` if it names none.
    func sighting(at now: Int64) -> FirebaseSighting? {
        guard let uid, UserID.isAllowed(uid) else { return nil }
        return FirebaseSighting(uid: uid, isGuest: isGuest, at: now)
    }
}
