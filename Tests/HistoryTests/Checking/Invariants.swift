import AccountDatabase
import Accounts
import Database
import Tokens

/// Rules that the database must follow at any time, checked by queries that share nothing with the flows.
struct Invariants {
    private let policy: Policy
    /// Sessions that were seen to have ended, and users that were seen to be merged.
    private var ended: Set<String> = []
    private var merged: Set<String> = []
    /// The secrets that answers said to have used up.
    private var spent: Set<String> = []

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// Returns what breaks a rule.
    ///
    /// - Parameters:
    ///   - entries: the operations that were answered since the last check.
    ///   - transaction: reads the server's database.
    mutating func broken(by entries: [Entry], _ transaction: Transaction) throws -> [String] {
        var broken = try transaction.check().map { "\($0.rule): \($0.examples)" }
        for entry in entries {
            guard case .answered(let answer) = entry.outcome else { continue }
            for secret in answer.spent where !spent.insert(secret).inserted {
                broken.append("\(secret) is spent twice")
            }
        }
        broken += try queries(transaction).flatMap { rule, query in
            try transaction.all(query) { "\(rule): \(try $0.text(0))" }
        }
        let alive = Set(try transaction.all("SELECT sid FROM sessions WHERE ended_at IS NULL") { try $0.text(0) })
        broken += try resurrected(alive, transaction)
        broken += begunRevoked(by: entries)
        broken += try sparedByTakeovers(of: entries, transaction)
        return broken
    }

    private func queries(_ transaction: Transaction) -> [(String, SQL)] {
        [
            (
                "an address has two owners",
                "SELECT email FROM users WHERE email IS NOT NULL GROUP BY email HAVING count(*) > 1"
            ),
            (
                "a guest is merged twice",
                "SELECT uid FROM merges WHERE state = 'committed' GROUP BY uid HAVING count(*) > 1"
            ),
            ("a UID lives twice", "SELECT u.uid FROM users u JOIN former_users f ON f.uid = u.uid"),
            (
                "a session is alive without a user who may use it",
                """
                SELECT s.sid FROM sessions s LEFT JOIN users u ON u.uid = s.uid
                WHERE s.ended_at IS NULL AND (u.uid IS NULL OR u.disabled_at IS NOT NULL)
                """
            ),
            (
                "a ticket has too many wrong codes or addresses",
                """
                SELECT ticket FROM tickets WHERE wrong_codes > \(policy.wrongCodesPerTicket)
                    OR wrong_addresses > \(policy.wrongAddressesPerLink)
                """
            ),
            (
                "an address got too many e-mails",
                """
                SELECT email FROM tickets WHERE mail_state <> 'none' GROUP BY email, created_at / 3600000
                HAVING count(*) > \(policy.mailsPerAddress.count)
                """
            ),
            // A merge may leave a user above the limit.
            (
                "a user has too many documents",
                """
                SELECT uid FROM documents
                WHERE uid NOT IN (SELECT merged_into FROM former_users WHERE merged_into IS NOT NULL)
                GROUP BY uid HAVING count(*) > \(policy.documents.maxCount)
                """
            ),
            (
                "a redeemed ticket names a session that it did not begin",
                """
                SELECT result_sid FROM tickets WHERE result_sid IS NOT NULL GROUP BY result_sid HAVING count(*) > 1
                """
            ),
        ]
    }

    /// Returns the sessions and users that came back.
    private mutating func resurrected(_ alive: Set<String>, _ transaction: Transaction) throws -> [String] {
        let users = try transaction.all("SELECT uid FROM users") { try $0.text(0) }
        let broken =
            ended.intersection(alive).map { "the session \($0) is alive after its end" }
            + merged.intersection(users).map { "the merged user \($0) lives again" }
        ended.formUnion(try transaction.all("SELECT sid FROM sessions WHERE ended_at IS NOT NULL") { try $0.text(0) })
        merged.formUnion(
            try transaction.all("SELECT uid FROM former_users WHERE merged_into IS NOT NULL") { try $0.text(0) }
        )
        return broken
    }

    /// Returns the sessions that began after a revocation of all tokens, at a time before it, so that it ends them.
    ///
    /// The replay cannot find them, because it runs each operation at the same time as the server. Only redemptions of
    /// links look at the revocation's time. The last revocation counts, because an administrator may set an earlier time
    /// than the one before.
    private func begunRevoked(by entries: [Entry]) -> [String] {
        entries.flatMap { redemption -> [String] in
            guard redemption.operation.name == "redemption of a link", let begunAt = redemption.committedAt else {
                return []
            }
            // A repeated redemption answers with the session that the first one began.
            let begun = redemption.begun.filter { $0.issuedAt == redemption.now / 1000 }
            return begun.filter { session in
                let earlier = entries.filter { $0.revokedUID == session.uid && ($0.committedAt ?? begunAt) < begunAt }
                let last = earlier.max { ($0.committedAt ?? begunAt) < ($1.committedAt ?? begunAt) }
                return last.map { session.issuedAt < $0.now / 1000 } ?? false
            }.map {
                "the session \($0.sid) began after a revocation that ends it"
            }
        }
    }

    /// Returns the recovery codes that a takeover must make useless, and that count as made after it.
    ///
    /// The replay cannot find them, because it runs each operation at the same time as the server.
    private func sparedByTakeovers(of entries: [Entry], _ transaction: Transaction) throws -> [String] {
        let commits = Dictionary(entries.compactMap { entry in entry.committedAt.map { (entry.now, $0) } }) { $1 }
        let codes = try transaction.all(
            """
            SELECT a.code, a.created_at, u.taken_over_at FROM action_codes a JOIN users u ON u.uid = a.uid
            WHERE a.purpose = \(ActionPurpose.recoverEmail.requestType) AND a.created_at > u.taken_over_at
            """
        ) { row in (id: try row.text(0), createdAt: try row.integer(1), takenOverAt: try row.integer(2)) }
        return codes.compactMap { code in
            guard let made = commits[code.createdAt], let takenOver = commits[code.takenOverAt], made < takenOver else {
                return nil
            }
            return "the recovery code \(code.id) is older than a takeover, and counts as newer"
        }
    }
}
