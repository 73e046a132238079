internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// How often each client address may do one thing in an hour; counted by this node alone.
///
/// Fixed windows, one dictionary for the present one: what a client used up comes back when the hour turns. The memory is
/// bounded by what may happen in an hour; an address is its /64 for IPv6, since that is what one customer has.
final class ClientLimiter: Sendable {
    private struct Window {
        var number: Int64 = 0
        var used: [IPAddress: Int] = [:]
    }

    private static let length: Int64 = 3_600_000
    /// Beyond so many clients in one window the newest share a counter, so that a flood of addresses cannot fill the memory.
    private static let mostClients = 200_000

    private let limit: Int
    private let window = Mutex(Window())

    /// Allows each client `limit` uses an hour.
    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one use.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER beyond the limit.
    func use(_ client: IPAddress, at now: Int64, dividedBy divisor: Int = 1) throws {
        guard hasRoom(for: client, at: now, dividedBy: divisor) else { return try check(.max, at: now) }
        count(client, at: now)
    }

    /// Whether a use would be allowed; counts nothing.
    func hasRoom(for client: IPAddress, at now: Int64, dividedBy divisor: Int = 1) -> Bool {
        count(client, adding: 0, at: now) < max(1, limit / divisor)
    }

    /// Takes a use back, of a request that cost nothing in the end.
    func giveBack(_ client: IPAddress, at now: Int64) {
        if count(client, adding: 0, at: now) > 0 { _ = count(client, adding: -1, at: now) }
    }

    /// Refuses a client that has used up its hour, without counting.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func check(_ client: IPAddress, at now: Int64) throws {
        try check(count(client, adding: 0, at: now) + 1, at: now)
    }

    /// Counts one use and refuses nothing.
    func count(_ client: IPAddress, at now: Int64) {
        _ = count(client, adding: 1, at: now)
    }

    /// Forgets what was used up.
    func reset() {
        window.withLock { $0 = Window() }
    }

    private func check(_ used: Int, at now: Int64) throws {
        guard used <= limit else {
            let untilReset = Self.length - now % Self.length
            throw Refusal(.tooManyAttempts, retryAfter: Int(untilReset / 1000) + 1)
        }
    }

    private func count(_ client: IPAddress, adding uses: Int, at now: Int64) -> Int {
        let number = now / Self.length
        return window.withLock { window in
            if window.number != number { window = Window(number: number) }
            let known = client.networkKey
            let key = window.used.count < Self.mostClients || window.used[known] != nil ? known : .loopback
            let used = window.used[key, default: 0] + uses
            if uses != 0 { window.used[key] = used }
            return used
        }
    }
}

/// Counts the failed redemptions of one client, so that guessing ends.
struct FailureGuard: Sendable {
    let limiter: ClientLimiter
    let client: IPAddress
    let now: Int64

    /// Counts an error, if it is one that a guess would meet.
    func count(_ error: any Error) {
        guard let refusal = error as? Refusal, Self.guesses.contains(refusal.code) else { return }
        limiter.count(client, at: now)
    }

    private static let guesses: Set<Code> = [
        .invalidOobCode, .invalidEmail, .invalidTicket, .invalidSignInCode, .invalidRefreshToken, .invalidIDToken,
        .invalidIdPResponse, .missingOrInvalidNonce,
        .invalidCustomToken, .credentialMismatch, .invalidFirebaseToken,
    ]
}

extension Services {
    /// Refuses a client that has failed too often, and counts what fails from here on.
    func failures(of request: Request) throws -> FailureGuard {
        let guardian = FailureGuard(limiter: failureLimiter, client: request.clientAddress, now: clock())
        try failureLimiter.check(guardian.client, at: guardian.now)
        return guardian
    }
}
