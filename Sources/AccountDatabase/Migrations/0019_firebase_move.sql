-- The move from a project at Firebase. The phase is in `settings` (`firebase-phase`).

-- A session at Firebase is (uid, auth_time), and becomes one session here: `sid`.
CREATE TABLE adopted_sessions (
    id {{id}},
    uid {{text}} NOT NULL,
    auth_time {{integer}} NOT NULL,
    sid {{text}} NOT NULL,
    adopted_at {{integer}} NOT NULL
);

CREATE UNIQUE INDEX adopted_sessions_uid_auth_time ON adopted_sessions (uid, auth_time);

-- The refresh tokens of Firebase that were presented here, as keyed hashes, each with the session that it became.
CREATE TABLE adopted_tokens (
    id {{id}},
    digest {{text}} NOT NULL,
    uid {{text}} NOT NULL,
    sid {{text}} NOT NULL
);

CREATE UNIQUE INDEX adopted_tokens_digest ON adopted_tokens (digest);

-- What is known about a user of the project. There need not be a user here: in the phase `pass` Firebase has them.
-- `changed_at` and `ended_at` are about an imported user: the last change here, and the last time that all sessions ended.
CREATE TABLE firebase_users (
    id {{id}},
    uid {{text}} NOT NULL,
    is_guest {{integer}},
    seen_at {{integer}},
    refreshed_there_at {{integer}},
    changed_at {{integer}},
    ended_at {{integer}},
    moved_at {{integer}}
);

CREATE UNIQUE INDEX firebase_users_uid ON firebase_users (uid);

-- Counts for the operator, of all nodes together.
CREATE TABLE firebase_counts (
    id {{id}},
    name {{text}} NOT NULL,
    value {{integer}} NOT NULL
);

CREATE UNIQUE INDEX firebase_counts_name ON firebase_counts (name);
