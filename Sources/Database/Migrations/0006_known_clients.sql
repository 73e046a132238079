-- The clients that an address signed in from, for the reserve of its e-mails: keyed hashes of the address, and of the address
-- with the client. At most eight rows per address, none older than 90 days.

CREATE TABLE known_clients (
    id {{id}},
    address {{text}} NOT NULL,
    client {{text}} NOT NULL,
    last_seen_at {{integer}} NOT NULL,
    UNIQUE (client)
);

CREATE INDEX known_clients_address ON known_clients (address);
CREATE INDEX known_clients_last_seen_at ON known_clients (last_seen_at);
