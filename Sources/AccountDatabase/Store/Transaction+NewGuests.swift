package import Accounts
package import Database

extension Transaction {
    package func insertGuests(_ guests: [(user: User, session: Session)]) throws {
        guard dialect == .postgreSQL, guests.count > 1, let first = guests.first else {
            for guest in guests {
                try insert(guest.user)
                try insert(guest.session)
            }
            return
        }
        let session = first.session
        let isRotating = guests.map { $0.session.fixedSince == nil ? Int64(1) : 0 }
        // In one statement, which writes the columns that are not NULL.
        try enqueue(
            """
            WITH guests AS MATERIALIZED (
                SELECT * FROM unnest(\(Dialect.array(guests.map(\.user.uid))), \(Dialect.array(guests.map(\.session.sid))),
                    \(Dialect.array(isRotating)), \(Dialect.array(guests.map(\.session.device))))
                    AS g (uid, sid, is_rotating, device)
            ), created AS (
                INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at, cleanup_at)
                SELECT g.uid, \(first.user.anonymousSince), \(first.user.validSince), \(first.user.createdAt),
                    \(first.user.lastLoginAt), \(first.user.lastRefreshAt), \(cleanupTime(of: first.user))
                FROM guests g RETURNING id, uid
            )
            INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, fixed_since, auth_time,
                created_at, last_used_at, device)
            SELECT g.sid, g.uid, c.id, \(session.provider.rawValue), \(session.generation), \(session.generationAt),
                CASE WHEN g.is_rotating = 0 THEN CAST(\(now) AS BIGINT) END, \(session.authTime), \(session.createdAt),
                \(session.lastUsedAt), g.device
            FROM created c JOIN guests g ON g.uid = c.uid
            """
        )
    }
}
