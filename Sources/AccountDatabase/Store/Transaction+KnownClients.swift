package import Accounts
package import Database

extension Transaction {
    package func recordKnownClients(_ records: [KnownClientRecord]) throws {
        let mayBeKnown = records.filter(\.mayBeKnown)
        for record in mayBeKnown {
            try enqueue(
                """
                DELETE FROM known_clients WHERE address = \(record.address) AND client = \(record.client)
                    AND last_seen_at < \(now - KnownClient.renewal)
                """
            )
        }
        try insertKnownClients(records)
        for record in mayBeKnown {
            // The plus keeps the planner from reading all rows in the order of their ids.
            try enqueue(
                """
                DELETE FROM known_clients WHERE address IN \(in: record.addresses) AND id NOT IN
                    (SELECT id FROM known_clients WHERE address IN \(in: record.addresses)
                        ORDER BY +id DESC LIMIT \(KnownClient.mostPerAddress))
                """
            )
        }
    }

    /// Stores the clients that are not stored yet, of users who still exist and have the addresses.
    private func insertKnownClients(_ records: [KnownClientRecord]) throws {
        guard dialect == .postgreSQL, records.count > 1 else {
            for record in records {
                try enqueue(
                    """
                    INSERT INTO known_clients (address, client, last_seen_at)
                    SELECT CAST(\(record.address) AS TEXT), CAST(\(record.client) AS TEXT), CAST(\(now) AS BIGINT)
                    WHERE EXISTS (SELECT 1 FROM users WHERE uid = \(record.uid) AND email = \(record.email))
                    ON CONFLICT (address, client) DO NOTHING
                    """
                )
            }
            return
        }
        try enqueue(
            """
            INSERT INTO known_clients (address, client, last_seen_at)
            SELECT r.address, r.client, CAST(\(now) AS BIGINT)
            FROM unnest(\(Dialect.array(records.map(\.address))), \(Dialect.array(records.map(\.client))),
                \(Dialect.array(records.map(\.uid))), \(Dialect.array(records.map(\.email))))
                WITH ORDINALITY AS r (address, client, uid, email, place) JOIN users u ON u.uid = r.uid AND u.email = r.email
            ORDER BY r.place
            ON CONFLICT (address, client) DO NOTHING
            """
        )
    }

    package func deleteKnownClients(ofAddresses addresses: [String]) throws {
        try enqueue("DELETE FROM known_clients WHERE address IN \(in: addresses)")
    }
}
