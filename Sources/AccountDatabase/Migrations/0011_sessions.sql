-- The device of a session, for the list that users see: NULL for sessions of versions before.
ALTER TABLE sessions ADD COLUMN device {{text}};

-- When a ticket ends, once its mail has left or where it has none. `expires_at` is indexed, so it changes only while the mail waits.
ALTER TABLE tickets ADD COLUMN ends_at {{integer}};
