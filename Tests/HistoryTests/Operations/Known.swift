import Accounts
import Synchronization
import Tokens

/// What clients learn from an answer.
enum Lesson: Sendable {
    case session(KnownSession)
    case refreshed(sid: String, generation: Int64, issuedAt: Int64)
    case ticket(KnownTicket)
    case code(ActionCode)
    case revoked(uid: String)
}

/// A session as its client knows it.
struct KnownSession: Sendable {
    let uid: String
    let sid: String
    /// The user's address when the session began.
    let email: String?
    let provider: SignInProvider
    let authTime: Int64
    var issuedAt: Int64
    var generation: Int64 = 1

    init(_ signedIn: SignedIn) { self.init(signedIn.session, email: signedIn.user.email) }

    init(_ session: Session, email: String? = nil) {
        self.email = email
        uid = session.uid
        sid = session.sid
        provider = session.provider
        authTime = session.authTime
        issuedAt = session.lastUsedAt / 1000
        generation = session.generation
    }

    var token: PresentedToken {
        PresentedToken(
            uid: uid,
            sid: sid,
            issuedAt: issuedAt,
            authTime: authTime,
            provider: provider,
            isExpired: false
        )
    }
}

/// The request for a sign-in e-mail, with the link in the e-mail.
struct KnownTicket: Sendable {
    let ticket: Ticket
    let link: ActionCode
}

/// What clients know, of which operations take their inputs.
///
/// Only the newest things are used, so that operations meet.
final class Known: Sendable {
    private struct Things {
        var sessions: [KnownSession] = []
        var tickets: [KnownTicket] = []
        var codes: [ActionCode] = []
        var uids: [String] = []
    }

    private let things = Mutex(Things())

    func learn(_ lessons: [Lesson]) {
        things.withLock { things in
            for lesson in lessons {
                switch lesson {
                case .session(let session):
                    things.sessions.append(session)
                    if !things.uids.contains(session.uid) { things.uids.append(session.uid) }
                case .refreshed(let sid, let generation, let issuedAt):
                    guard let place = things.sessions.lastIndex(where: { $0.sid == sid }) else { continue }
                    things.sessions[place].generation = max(generation, things.sessions[place].generation)
                    things.sessions[place].issuedAt = max(issuedAt, things.sessions[place].issuedAt)
                case .ticket(let ticket): things.tickets.append(ticket)
                case .code(let code): things.codes.append(code)
                case .revoked: break
                }
            }
        }
    }

    /// Forgets most things that have ended, so that most operations are about what is alive.
    ///
    /// - Parameter alive: the ids of sessions, tickets and codes, and the UIDs, of what is still there.
    func forget(allBut alive: Set<String>, _ numbers: inout SeededNumbers) {
        things.withLock { things in
            things.sessions.removeAll { !alive.contains($0.sid) && numbers.chance(85) }
            things.tickets.removeAll { !alive.contains($0.ticket.id) && numbers.chance(85) }
            things.codes.removeAll { !alive.contains($0.id.text) && numbers.chance(85) }
            things.uids.removeAll { !alive.contains($0) && numbers.chance(85) }
        }
    }

    /// Returns one of the newest sessions, if possible one of a user.
    func session(_ numbers: inout SeededNumbers, isGuests: Bool? = nil, of uid: String?) -> KnownSession? {
        let sessions = things.withLock { Array($0.sessions.suffix(24)) }
        let fitting = sessions.filter { isGuests == nil || ($0.provider == .anonymous) == isGuests }
        return numbers.pick(fitting.filter { $0.uid == uid }.suffix(3)) ?? numbers.pick(fitting.suffix(8))
    }

    /// Returns one of the last users who had an address when they signed in, with that address.
    func account(_ numbers: inout SeededNumbers) -> (uid: String, email: String)? {
        let sessions = things.withLock { Array($0.sessions.suffix(24)) }
        return numbers.pick(sessions.compactMap { session in session.email.map { (session.uid, $0) } }.suffix(3))
    }

    /// Returns the user who had an address when they last signed in.
    func owner(of email: String) -> String? {
        things.withLock { things in things.sessions.last { $0.email == email }?.uid }
    }

    /// Returns one of the newest tickets, if possible one for an address.
    func ticket(_ numbers: inout SeededNumbers, for email: String?) -> KnownTicket? {
        let tickets = things.withLock { Array($0.tickets.suffix(24)) }
        return numbers.pick(tickets.filter { $0.ticket.email == email }.suffix(3)) ?? numbers.pick(tickets.suffix(6))
    }

    var newestGuest: KnownSession? { things.withLock { $0.sessions.last { $0.provider == .anonymous } } }

    var newestTicket: KnownTicket? { things.withLock { $0.tickets.last } }

    var newestCode: ActionCode? { things.withLock { $0.codes.last } }

    func code(_ numbers: inout SeededNumbers) -> ActionCode? {
        let codes = things.withLock { Array($0.codes.suffix(6)) }
        return numbers.pick(codes)
    }

    func uid(_ numbers: inout SeededNumbers) -> String? {
        let uids = things.withLock { Array($0.uids.suffix(8)) }
        return numbers.pick(uids)
    }
}
