-- The sessions of the server's own pages, which a browser keeps as a cookie. Each belongs to a session of `sessions`, and is over when
-- that one is. `session` is the id in the signed cookie. `opened_at` is set where the page's sign-in opened the session `sid` itself.
-- `expires_at` moves with each use, up to the absolute end.

CREATE TABLE browser_sessions (
    id {{id}},
    session {{text}} NOT NULL,
    page {{text}} NOT NULL,
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    sid {{text}} NOT NULL,
    opened_at {{integer}},
    created_at {{integer}} NOT NULL,
    expires_at {{integer}} NOT NULL
);

CREATE UNIQUE INDEX browser_sessions_session ON browser_sessions (session);
CREATE INDEX browser_sessions_uid ON browser_sessions (uid);
CREATE INDEX browser_sessions_expires_at ON browser_sessions (expires_at);
