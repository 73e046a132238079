-- Sessions of the console that a URL of the command line opened, which belong to no user. A row is first the URL: `session` is then
-- the digest of the URL's token, and `opened_at` is NULL. `name` is who asked for the URL, for the audit log. Administrators who sign in by
-- e-mail have a row in browser_sessions instead.

CREATE TABLE console_sessions (
    id {{id}},
    session {{text}} NOT NULL,
    name {{text}} NOT NULL,
    opened_at {{integer}},
    created_at {{integer}} NOT NULL,
    expires_at {{integer}} NOT NULL
);

CREATE UNIQUE INDEX console_sessions_session ON console_sessions (session);
CREATE INDEX console_sessions_expires_at ON console_sessions (expires_at);

-- The merges into a user, and the e-mails that failed, for the console's pages.
CREATE INDEX merges_target ON merges (target_uid);
CREATE INDEX outbox_failed ON outbox (id) WHERE state = 'failed';
