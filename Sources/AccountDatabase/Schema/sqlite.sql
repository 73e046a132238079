-- What all migrations together make on SQLite, for a new file. `make schema` writes this file; do not edit it.

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    email TEXT,
    email_verified_at INTEGER,
    email_link_at INTEGER,
    display_name TEXT,
    photo_url TEXT,
    initial_email TEXT,
    custom_attributes TEXT,
    anonymous_since INTEGER,
    disabled_at INTEGER,
    review_since INTEGER,
    valid_since INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_login_at INTEGER NOT NULL,
    last_refresh_at INTEGER NOT NULL, cleanup_at INTEGER, merge_id TEXT, change_number INTEGER NOT NULL DEFAULT 0, document_count INTEGER NOT NULL DEFAULT 0, document_bytes INTEGER NOT NULL DEFAULT 0, custom_auth_at INTEGER, screen_name TEXT, imported_at INTEGER, unclaimed_since INTEGER, initial_unclaimed_since INTEGER, taken_over_at INTEGER, contested_at INTEGER, contested_email TEXT, documents_audited_at INTEGER,
    UNIQUE (uid)
);

CREATE UNIQUE INDEX users_email ON users (email) WHERE email IS NOT NULL;

CREATE TABLE identities (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    display_name TEXT,
    photo_url TEXT,
    screen_name TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (provider, subject),
    UNIQUE (uid, provider)
);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    sid TEXT NOT NULL,
    uid TEXT NOT NULL,
    provider TEXT NOT NULL,
    generation INTEGER NOT NULL,
    generation_at INTEGER NOT NULL,
    fixed_since INTEGER,
    auth_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_reason TEXT, user_number INTEGER NOT NULL DEFAULT 0, claims TEXT, exchanged_at INTEGER, device TEXT, network TEXT,
    UNIQUE (sid)
);

CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    ticket TEXT NOT NULL,
    key_id INTEGER NOT NULL,
    email TEXT NOT NULL,
    state TEXT NOT NULL,
    mail_state TEXT NOT NULL,
    asking_sid TEXT,
    asking_uid TEXT,
    asking_client TEXT NOT NULL,
    device TEXT NOT NULL,
    place TEXT,
    locale TEXT NOT NULL,
    continue_url TEXT,
    wrong_codes INTEGER NOT NULL,
    polled_at INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    settled_at INTEGER,
    settled_by TEXT,
    presented_sid TEXT,
    result_uid TEXT,
    result_sid TEXT,
    result_new_at INTEGER,
    result_linked_at INTEGER, result_merge TEXT, code_form INTEGER, trusted_at INTEGER, wrong_addresses INTEGER NOT NULL DEFAULT 0, judged_at INTEGER, minted_at INTEGER, ends_at INTEGER, time_zone TEXT, link_only_at INTEGER,
    UNIQUE (ticket)
);

CREATE INDEX tickets_expires_at ON tickets (expires_at);

CREATE TABLE action_codes (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    purpose TEXT NOT NULL,
    ticket TEXT REFERENCES tickets (ticket) ON DELETE CASCADE,
    uid TEXT,
    asking_sid TEXT,
    email TEXT NOT NULL,
    new_email TEXT,
    locale TEXT NOT NULL,
    continue_url TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER, device TEXT, asking_client TEXT, unclaimed_since INTEGER, for_administrator_at INTEGER, time_zone TEXT, mail TEXT,
    UNIQUE (code)
);

CREATE INDEX action_codes_expires_at ON action_codes (expires_at);

CREATE INDEX action_codes_uid ON action_codes (uid) WHERE uid IS NOT NULL;

CREATE INDEX action_codes_ticket ON action_codes (ticket) WHERE ticket IS NOT NULL;

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    mail TEXT NOT NULL,
    kind TEXT NOT NULL,
    ticket TEXT,
    state TEXT NOT NULL,
    payload TEXT,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    leased_by TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    reason TEXT, rank INTEGER NOT NULL DEFAULT 0, mailbox TEXT,
    UNIQUE (mail)
);

CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'queued';

CREATE TABLE limits (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    window_start INTEGER NOT NULL,
    used INTEGER NOT NULL,
    UNIQUE (name)
);

CREATE INDEX limits_window ON limits (window_start);

CREATE TABLE settings (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (name)
);

CREATE TABLE signing_keys (
    id INTEGER PRIMARY KEY,
    kid TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    private_key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    signs_from INTEGER NOT NULL,
    retired_at INTEGER, cookies_until INTEGER,
    UNIQUE (kid)
);

CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    uid TEXT,
    detail TEXT
, actor TEXT, reason TEXT, user_number INTEGER);

CREATE INDEX sessions_user_number ON sessions (user_number);

CREATE INDEX users_guests ON users (cleanup_at) WHERE anonymous_since IS NOT NULL;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (uid, collection, name)
);

CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    collection TEXT NOT NULL,
    name TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (uid, number)
);

CREATE TABLE usernames (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (uid),
    UNIQUE (canonical)
);

CREATE TABLE former_users (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    gone_at INTEGER NOT NULL,
    merged_into TEXT, user_number INTEGER DEFAULT 0,
    UNIQUE (uid)
);

CREATE TABLE merges (
    id INTEGER PRIMARY KEY,
    merge TEXT NOT NULL,
    uid TEXT NOT NULL,
    target_uid TEXT NOT NULL,
    state TEXT NOT NULL,
    report TEXT,
    reason TEXT,
    leased_until INTEGER,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    UNIQUE (merge)
);

CREATE INDEX merges_uid ON merges (uid);

CREATE INDEX merges_preparing ON merges (leased_until) WHERE state = 'preparing';

CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY,
    delivery TEXT NOT NULL,
    event TEXT NOT NULL,
    hook TEXT NOT NULL,
    merge TEXT,
    state TEXT NOT NULL,
    payload TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    leased_by TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    reason TEXT,
    UNIQUE (delivery)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (hook, due_at) WHERE state = 'queued';

CREATE INDEX webhook_deliveries_settled_at ON webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL;

CREATE INDEX webhook_deliveries_merge ON webhook_deliveries (merge) WHERE merge IS NOT NULL;

CREATE INDEX identities_email ON identities (email) WHERE email IS NOT NULL;

CREATE TABLE spent_tokens (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (digest)
);

CREATE INDEX spent_tokens_expires_at ON spent_tokens (expires_at);

CREATE TABLE leases (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    worker TEXT NOT NULL,
    leased_until INTEGER NOT NULL,
    -- How far the work has come, where whoever goes on has to know.
    position INTEGER NOT NULL,
    UNIQUE (name)
);

CREATE INDEX tickets_asking_uid ON tickets (asking_uid) WHERE asking_uid IS NOT NULL;

CREATE INDEX tickets_email ON tickets (email);

CREATE TABLE known_clients (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL,
    client TEXT NOT NULL,
    last_seen_at INTEGER NOT NULL,
    UNIQUE (address, client)
);

CREATE INDEX outbox_rank ON outbox (rank) WHERE state = 'queued';

CREATE INDEX outbox_postponed ON outbox (due_at) WHERE state = 'queued' AND rank >= 4503599627370496;

CREATE TABLE suppressed_mailboxes (
    id INTEGER PRIMARY KEY,
    mailbox TEXT NOT NULL,
    suppressed_until INTEGER NOT NULL, tried_at INTEGER,
    UNIQUE (mailbox)
);

CREATE INDEX suppressed_mailboxes_until ON suppressed_mailboxes (suppressed_until);

CREATE TABLE method_changes (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    code TEXT NOT NULL,
    kind TEXT NOT NULL,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    display_name TEXT,
    photo_url TEXT,
    screen_name TEXT,
    linked_at INTEGER NOT NULL,
    device TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

CREATE INDEX method_changes_uid ON method_changes (uid);

CREATE INDEX method_changes_expires_at ON method_changes (expires_at);

CREATE TABLE browser_sessions (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    page TEXT NOT NULL,
    uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    sid TEXT NOT NULL,
    opened_at INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

CREATE UNIQUE INDEX browser_sessions_session ON browser_sessions (session);

CREATE INDEX browser_sessions_uid ON browser_sessions (uid);

CREATE INDEX browser_sessions_expires_at ON browser_sessions (expires_at);

CREATE INDEX users_permanent ON users (created_at, id) WHERE anonymous_since IS NULL;

CREATE INDEX users_disabled ON users (disabled_at, id) WHERE disabled_at IS NOT NULL;

CREATE INDEX users_contested ON users (contested_at, id) WHERE contested_at IS NOT NULL;

CREATE INDEX identities_subject ON identities (subject);

CREATE INDEX audit_log_actor ON audit_log (actor, id) WHERE actor IS NOT NULL;

CREATE TABLE mail_trace (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    request TEXT NOT NULL,
    mail TEXT,
    address TEXT,
    uid TEXT,
    kind TEXT,
    device TEXT,
    network TEXT,
    detail TEXT,
    occurrences INTEGER NOT NULL
, user_number INTEGER);

CREATE INDEX mail_trace_request ON mail_trace (request);

CREATE INDEX mail_trace_address ON mail_trace (address) WHERE address IS NOT NULL;

CREATE INDEX mail_trace_mail ON mail_trace (mail) WHERE event = 'queued';

CREATE TABLE console_sessions (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    opened_at INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

CREATE UNIQUE INDEX console_sessions_session ON console_sessions (session);

CREATE INDEX console_sessions_expires_at ON console_sessions (expires_at);

CREATE INDEX merges_target ON merges (target_uid);

CREATE INDEX outbox_failed ON outbox (id) WHERE state = 'failed';

CREATE TABLE adopted_sessions (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    auth_time INTEGER NOT NULL,
    sid TEXT NOT NULL,
    adopted_at INTEGER NOT NULL
);

CREATE UNIQUE INDEX adopted_sessions_uid_auth_time ON adopted_sessions (uid, auth_time);

CREATE TABLE adopted_tokens (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    uid TEXT NOT NULL,
    sid TEXT NOT NULL
);

CREATE UNIQUE INDEX adopted_tokens_digest ON adopted_tokens (digest);

CREATE TABLE firebase_users (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    is_guest INTEGER,
    seen_at INTEGER,
    refreshed_there_at INTEGER,
    changed_at INTEGER,
    ended_at INTEGER,
    moved_at INTEGER
);

CREATE UNIQUE INDEX firebase_users_uid ON firebase_users (uid);

CREATE TABLE firebase_counts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    value INTEGER NOT NULL
);

CREATE UNIQUE INDEX firebase_counts_name ON firebase_counts (name);

CREATE INDEX audit_log_uid ON audit_log (uid, id) WHERE uid IS NOT NULL AND user_number IS NULL;

CREATE INDEX audit_log_user ON audit_log (user_number, id) WHERE user_number IS NOT NULL;

CREATE INDEX mail_trace_uid ON mail_trace (uid) WHERE uid IS NOT NULL AND user_number IS NULL;

CREATE INDEX mail_trace_user ON mail_trace (user_number) WHERE user_number IS NOT NULL;
