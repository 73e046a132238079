package import Accounts
package import Database

extension Transaction {
    package func excludeRequests(forAddresses hashes: [String]) throws {
        try exclude(hashes, .requestedAddress)
    }

    package func requireAbsence(ofCounters names: [String]) throws {
        guard dialect == .postgreSQL, !omits(AdvisoryLock.requestedAddress.name) else { return }
        for name in names.sorted() {
            // A row of this name that the snapshot does not show is a conflict for the server.
            try enqueue(
                """
                INSERT INTO limits (name, window_start, used) VALUES (\(name), 0, 0) ON CONFLICT (name) DO NOTHING
                """
            )
            try enqueue("DELETE FROM limits WHERE name = \(name)")
        }
    }

    package func countOwned(by uid: String) throws -> [ErasedData: Int] {
        let number: SQL = "(SELECT id FROM users WHERE uid = \(uid))"
        let counts = try first(
            """
            SELECT (SELECT count(*) FROM sessions WHERE user_number = \(number) AND uid = \(uid)),
                (SELECT count(*) FROM identities WHERE uid = \(uid)),
                (SELECT count(*) FROM documents WHERE uid = \(uid)),
                (SELECT count(*) FROM usernames WHERE uid = \(uid))
            """
        ) { row in try (0..<4).map { Int(clamping: try row.integer($0)) } }
        let kinds: [ErasedData] = [.sessions, .identities, .documents, .usernames]
        return Dictionary(uniqueKeysWithValues: zip(kinds, counts ?? []))
    }

    package func eraseMails(_ ids: [String], ofTicketsTo addresses: [String], mailboxes: [String]) throws -> Int {
        try execute(
            """
            DELETE FROM outbox WHERE mail IN \(in: ids) OR mailbox IN \(in: mailboxes)
                OR ticket IN (SELECT ticket FROM tickets WHERE email IN \(in: addresses))
            """
        )
    }

    package func eraseSignInLinks(of uid: String, addresses: [String]) throws -> Int {
        try execute(
            """
            DELETE FROM action_codes WHERE ticket IN (
                SELECT ticket FROM tickets
                WHERE email IN \(in: addresses) OR asking_uid = \(uid) OR result_uid = \(uid)
            )
            """
        )
    }

    package func eraseOtherLinks(of uid: String, addresses: [String]) throws -> Int {
        try execute(
            """
            DELETE FROM action_codes
            WHERE uid = \(uid) OR email IN \(in: addresses) OR new_email IN \(in: addresses)
            """
        )
    }

    package func eraseTickets(of uid: String, addresses: [String]) throws -> Int {
        try execute("DELETE FROM tickets WHERE email IN \(in: addresses) OR asking_uid = \(uid) OR result_uid = \(uid)")
    }

    package func eraseMerges(of uid: String) throws -> Int {
        try execute("DELETE FROM merges WHERE state <> 'preparing' AND (uid = \(uid) OR target_uid = \(uid))")
    }

    package func eraseKnownClients(ofAddresses hashes: [String]) throws -> Int {
        try execute("DELETE FROM known_clients WHERE address IN \(in: hashes)")
    }

    package func eraseSuppression(of mailbox: String) throws -> Int {
        try execute("DELETE FROM suppressed_mailboxes WHERE mailbox = \(mailbox)")
    }

    package func eraseCounters(_ names: [CounterName]) throws -> Int {
        let stored = try Set(names.flatMap { try storedCounters($0) })
        // In the order in which requests raise counters, so that two transactions cannot deadlock.
        for name in stored.sorted() { try enqueue("DELETE FROM limits WHERE name = \(name)") }
        return stored.count
    }

    private func storedCounters(_ name: CounterName) throws -> [String] {
        let condition: SQL =
            switch name {
            case .beginning(let text):
                // A name and those that go on with a colon: the character after ":" is ";".
                "name = \(text) OR name >= \(text + ":") AND name < \(text + ";")"
            case .between(let beginning, let end):
                "name >= \(beginning) AND name < \(String(beginning.dropLast() + ";")) AND name LIKE \("%:" + end)"
            }
        return try all("SELECT name FROM limits WHERE \(condition)") { row in try row.text(0) }
    }
}
