-- What only one node at a time does for all: who, and until when.

CREATE TABLE leases (
    id {{id}},
    name {{text}} NOT NULL,
    worker {{text}} NOT NULL,
    leased_until {{integer}} NOT NULL,
    -- How far the work has come, where whoever goes on has to know.
    position {{integer}} NOT NULL,
    UNIQUE (name)
);

DELETE FROM settings WHERE name = 'cleanup-lease';
