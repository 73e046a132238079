-- What made each change, as "kind" or "kind:name", and the reason that was given. Rows of clients have neither.
ALTER TABLE audit_log ADD COLUMN actor {{text}};
ALTER TABLE audit_log ADD COLUMN reason {{text}};

CREATE INDEX audit_log_uid ON audit_log (uid, id) WHERE uid IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor, id) WHERE actor IS NOT NULL;
