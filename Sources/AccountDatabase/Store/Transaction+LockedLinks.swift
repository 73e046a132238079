package import Accounts
package import Database

extension Transaction {
    package func lockedLinks(_ links: [(code: String, email: String)]) throws -> [LockedLink] {
        guard dialect == .postgreSQL else {
            throw DatabaseError(.misuse, message: "links are redeemed together on PostgreSQL only")
        }
        try limitWaits()
        let codes = links.map(\.code), emails = links.map(\.email)
        func look(in transaction: Transaction) throws -> FoundLinks {
            FoundLinks(
                tickets: try transaction.lockedTickets(ofCodes: codes),
                owners: try transaction.lockedOwners(of: links),
                identities: try transaction.identities(ofOwnersOf: emails),
                existing: try transaction.existing(codes, emails)
            )
        }
        try prefetch { _ = try look(in: $0) }
        let found = try look(in: self)
        return links.map { found.link($0.code, presentedWith: $0.email) }
    }

    /// Locks the action codes of links and their tickets, except those that others have locked.
    ///
    /// - Returns: the tickets, by the ids of the action codes.
    private func lockedTickets(ofCodes codes: [String]) throws -> [String: Ticket] {
        let rows = try all(
            """
            SELECT \(Ticket.columns), a.code FROM action_codes a JOIN tickets t ON t.ticket = a.ticket
            WHERE a.code\(dialect.isAny(of: codes)) AND a.used_at IS NULL
            ORDER BY a.id, t.id\(rowLockSkippingOthers(.redeemedTicket))
            """
        ) { row in (try row.text(Ticket.columnCount), try Ticket(row)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Locks the owners of addresses, except those that others have locked.
    ///
    /// The ticket of a link must be for the address, as in ``lockedOwner(of:redeeming:)``.
    ///
    /// - Returns: the owners, by their addresses.
    private func lockedOwners(of links: [(code: String, email: String)]) throws -> [String: User] {
        let (codes, isPresented): (SQL, SQL) =
            if links.count == 1 {
                ("action_codes a", "a.code = \(links[0].code) AND t.email = \(links[0].email)")
            } else {
                (
                    """
                    unnest(\(Dialect.array(links.map(\.code))), \(Dialect.array(links.map(\.email)))) AS r (code, email)
                        JOIN action_codes a ON a.code = r.code
                    """,
                    "t.email = r.email"
                )
            }
        let emailsOfTickets: SQL = """
            SELECT t.email FROM \(codes) JOIN tickets t ON t.ticket = a.ticket
            WHERE \(isPresented) AND a.used_at IS NULL AND t.state IN ('open', 'approved')
            """
        let users = try all(
            """
            SELECT \(User.columns) FROM users u WHERE u.email\(Dialect.isAny(ofRows: emailsOfTickets, count: links.count))
            ORDER BY u.id\(rowLockSkippingOthers(.owner))
            """
        ) { row in try User(row, at: 0) }
        return Dictionary(users.map { ($0.email ?? "", $0) }) { first, _ in first }
    }

    /// Returns the identities of the owners of addresses, by the UIDs of the owners.
    private func identities(ofOwnersOf emails: [String]) throws -> [String: [Identity]] {
        let owners: SQL = "SELECT u.uid FROM users u WHERE u.email\(dialect.isAny(of: emails))"
        return try identitiesByUser(where: "uid\(Dialect.isAny(ofRows: owners, count: emails.count))")
    }

    /// Returns the ids of the action codes that exist and are not replaced, and the addresses that have an owner, whether
    /// locked or not.
    ///
    /// Must run after the locks, so that what was free then and does not exist now is missing.
    private func existing(_ codes: [String], _ emails: [String]) throws -> (codes: Set<String>, emails: Set<String>) {
        let rows = try all(
            """
            SELECT 0, a.code FROM action_codes a WHERE a.code\(dialect.isAny(of: codes)) AND a.used_at IS NULL
            UNION ALL SELECT 1, u.email FROM users u WHERE u.email\(dialect.isAny(of: emails))
            """
        ) { row in (isEmail: try row.integer(0) == 1, text: try row.text(1)) }
        return (Set(rows.filter { !$0.isEmail }.map(\.text)), Set(rows.filter(\.isEmail).map(\.text)))
    }
}

/// What a transaction has found of several links.
private struct FoundLinks {
    let tickets: [String: Ticket]
    let owners: [String: User]
    let identities: [String: [Identity]]
    let existing: (codes: Set<String>, emails: Set<String>)

    func link(_ code: String, presentedWith email: String) -> LockedLink {
        guard let ticket = tickets[code] else { return existing.codes.contains(code) ? .busy : .missing }
        guard let owner = owners[email] else {
            return .locked(ticket, existing.emails.contains(email) ? .busy : .missing)
        }
        return .locked(ticket, .locked(owner, identities[owner.uid] ?? []))
    }
}
