package import Accounts
package import Database

extension Transaction {
    package func noteKnownClient(_ record: KnownClientRecord) throws {
        if record.mayBeKnown {
            try enqueue(
                """
                DELETE FROM known_clients WHERE address = \(record.address) AND client = \(record.client)
                    AND last_seen_at < \(now - KnownClient.renewal)
                """
            )
        }
        try enqueue(
            """
            INSERT INTO known_clients (address, client, last_seen_at)
            SELECT CAST(\(record.address) AS TEXT), CAST(\(record.client) AS TEXT), CAST(\(now) AS BIGINT)
            WHERE EXISTS (SELECT 1 FROM users WHERE uid = \(record.uid) AND email = \(record.email))
            ON CONFLICT (address, client) DO NOTHING
            """
        )
        guard record.mayBeKnown else { return }
        try enqueue(
            """
            DELETE FROM known_clients WHERE address IN \(in: record.addresses) AND id NOT IN
                (SELECT id FROM known_clients WHERE address IN \(in: record.addresses)
                    ORDER BY id DESC LIMIT \(KnownClient.mostPerAddress))
            """
        )
    }

    package func deleteKnownClients(ofAddresses addresses: [String]) throws {
        try enqueue("DELETE FROM known_clients WHERE address IN \(in: addresses)")
    }
}
