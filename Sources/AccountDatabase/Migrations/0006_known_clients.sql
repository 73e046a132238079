-- The clients that an address signed in from, for the reserve of its e-mails: keyed hashes of the address, and of the address
-- with the client. At most eight rows per address, none older than 90 days. A renewed row is a new one, so that the order of
-- the ids is that of the times.

CREATE TABLE known_clients (
    id {{id}},
    address {{text}} NOT NULL,
    client {{text}} NOT NULL,
    last_seen_at {{integer}} NOT NULL,
    UNIQUE (address, client)
);
