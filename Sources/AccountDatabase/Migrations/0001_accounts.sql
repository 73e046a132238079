-- Users, their ways in, their sessions, and the mails that lead to them.
--
-- Tables are kept in insertion order by an integer id; the random public identifier has a unique index of its own, because
-- random primary keys multiply what the write-ahead log has to carry. Flags are nullable times in milliseconds since 1970.

CREATE TABLE users (
    id {{id}},
    uid {{text}} NOT NULL,
    email {{text}},
    email_verified_at {{integer}},
    email_link_at {{integer}},
    display_name {{text}},
    photo_url {{text}},
    initial_email {{text}},
    custom_attributes {{text}},
    anonymous_since {{integer}},
    disabled_at {{integer}},
    review_since {{integer}},
    valid_since {{integer}} NOT NULL,
    created_at {{integer}} NOT NULL,
    last_login_at {{integer}} NOT NULL,
    last_refresh_at {{integer}} NOT NULL,
    UNIQUE (uid)
);

CREATE UNIQUE INDEX users_email ON users (email) WHERE email IS NOT NULL;

CREATE TABLE identities (
    id {{id}},
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    provider {{text}} NOT NULL,
    subject {{text}} NOT NULL,
    email {{text}},
    display_name {{text}},
    photo_url {{text}},
    screen_name {{text}},
    created_at {{integer}} NOT NULL,
    UNIQUE (provider, subject),
    UNIQUE (uid, provider)
);

-- No reference to users: the sessions of a merged user outlive it, so that its devices are told that they are signed out.
CREATE TABLE sessions (
    id {{id}},
    sid {{text}} NOT NULL,
    uid {{text}} NOT NULL,
    provider {{text}} NOT NULL,
    generation {{integer}} NOT NULL,
    generation_at {{integer}} NOT NULL,
    fixed_since {{integer}},
    auth_time {{integer}} NOT NULL,
    created_at {{integer}} NOT NULL,
    last_used_at {{integer}} NOT NULL,
    ended_at {{integer}},
    end_reason {{text}},
    UNIQUE (sid)
);

CREATE INDEX sessions_uid ON sessions (uid);

CREATE TABLE tickets (
    id {{id}},
    ticket {{text}} NOT NULL,
    key_id {{integer}} NOT NULL,
    email {{text}} NOT NULL,
    state {{text}} NOT NULL,
    mail_state {{text}} NOT NULL,
    asking_sid {{text}},
    asking_uid {{text}},
    asking_client {{text}} NOT NULL,
    device {{text}} NOT NULL,
    place {{text}},
    locale {{text}} NOT NULL,
    continue_url {{text}},
    wrong_codes {{integer}} NOT NULL,
    polled_at {{integer}},
    created_at {{integer}} NOT NULL,
    expires_at {{integer}} NOT NULL,
    settled_at {{integer}},
    settled_by {{text}},
    presented_sid {{text}},
    result_uid {{text}},
    result_sid {{text}},
    result_new_at {{integer}},
    result_linked_at {{integer}},
    UNIQUE (ticket)
);

CREATE INDEX tickets_expires_at ON tickets (expires_at);

CREATE TABLE action_codes (
    id {{id}},
    code {{text}} NOT NULL,
    purpose {{text}} NOT NULL,
    ticket {{text}} REFERENCES tickets (ticket) ON DELETE CASCADE,
    uid {{text}},
    asking_sid {{text}},
    email {{text}} NOT NULL,
    new_email {{text}},
    locale {{text}} NOT NULL,
    continue_url {{text}},
    created_at {{integer}} NOT NULL,
    expires_at {{integer}} NOT NULL,
    used_at {{integer}},
    UNIQUE (code)
);

CREATE INDEX action_codes_expires_at ON action_codes (expires_at);
CREATE INDEX action_codes_uid ON action_codes (uid) WHERE uid IS NOT NULL;
CREATE INDEX action_codes_ticket ON action_codes (ticket) WHERE ticket IS NOT NULL;

CREATE TABLE outbox (
    id {{id}},
    mail {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    ticket {{text}},
    state {{text}} NOT NULL,
    payload {{text}},
    attempts {{integer}} NOT NULL,
    due_at {{integer}} NOT NULL,
    leased_by {{text}},
    created_at {{integer}} NOT NULL,
    settled_at {{integer}},
    reason {{text}},
    UNIQUE (mail)
);

CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'queued';

-- Counters that must hold across nodes: mails and wrong codes per address. Keys are keyed hashes.
CREATE TABLE limits (
    id {{id}},
    name {{text}} NOT NULL,
    window_start {{integer}} NOT NULL,
    used {{integer}} NOT NULL,
    UNIQUE (name)
);

CREATE INDEX limits_window ON limits (window_start);

CREATE TABLE settings (
    id {{id}},
    name {{text}} NOT NULL,
    value {{text}} NOT NULL,
    updated_at {{integer}} NOT NULL,
    UNIQUE (name)
);

CREATE TABLE signing_keys (
    id {{id}},
    kid {{text}} NOT NULL,
    algorithm {{text}} NOT NULL,
    private_key {{text}} NOT NULL,
    created_at {{integer}} NOT NULL,
    signs_from {{integer}} NOT NULL,
    retired_at {{integer}},
    UNIQUE (kid)
);

CREATE TABLE audit_log (
    id {{id}},
    at {{integer}} NOT NULL,
    event {{text}} NOT NULL,
    uid {{text}},
    detail {{text}}
);
