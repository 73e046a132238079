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

-- A state that is part of an index makes each of its changes one of all indexes of the row. On a server those changes get in
-- the way of everybody who looks for a neighbour of the row; with room on its page, a row without such changes moves in none.
DROP INDEX tickets_asking_uid;
CREATE INDEX tickets_asking_uid ON tickets (asking_uid) WHERE asking_uid IS NOT NULL;
{{server}} ALTER TABLE tickets SET (fillfactor = 70);
{{server}} ALTER TABLE action_codes SET (fillfactor = 70);
