import Accounts
import Tokens

@testable import Server

extension OperationMix {
    static let refresh = Kind(share: 12) { _, draw in
        guard let session = draw.session(), let sid = TokenID(text: session.sid) else {
            return nil
        }
        // Mostly the newest token, sometimes an older one.
        let age: Int64 = draw.numbers.chance(75) ? 0 : draw.numbers.chance(70) ? 1 : 3
        let token = RefreshToken(session: sid, generation: max(1, session.generation - age))
        return Operation("refresh", token, Token.init) { decision in
            guard case .done(let refreshed) = decision else { return ([], []) }
            let issuedAt = refreshed.session.lastUsedAt / 1000
            return (
                [.refreshed(sid: session.sid, generation: refreshed.generation, issuedAt: issuedAt)], []
            )
        }
    }

    static let signOut = Kind(share: 3) { _, draw in
        guard let session = draw.session(), let sid = TokenID(text: session.sid) else {
            return nil
        }
        let token = RefreshToken(session: sid, generation: session.generation)
        return Operation("sign-out", SignOut.Input(token: token), SignOut.init)
    }

    static let endOfSession = Kind(share: 4) { _, draw in
        guard let session = draw.session(), let other = draw.session() else { return nil }
        let input = EndSession.Input(token: session.token, id: other.sid)
        return Operation("end of a session", input, EndSession.init)
    }

    static let signInsRecorded = Kind(share: 5) { _, draw in
        guard let session = draw.session() else { return nil }
        let uid = session.uid
        let record = KnownClient(uid: uid, email: try draw.email().canonical, client: draw.client())
        return Operation("sign-ins recorded", .leases) { flows, transaction in
            try flows.limitSessions(of: [uid], recording: [uid], in: transaction)
            try flows.remember([try flows.record(of: record)], in: transaction)
        }
    }

    static let lookUp = Kind(share: 4) { _, draw in
        guard let session = draw.session() else { return nil }
        return draw.numbers.chance(50)
            ? Operation("look-up", session.token, Lookup.init)
            : Operation("list of sessions", session.token, ListSessions.init)
    }

    static let lookUpOfGuest = Kind(share: 1) { _, draw in
        draw.guest().map { Operation("look-up", $0.token, Lookup.init) }
    }
}
