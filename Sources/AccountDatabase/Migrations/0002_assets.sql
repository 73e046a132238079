-- What belongs to a user: documents with their changes, and a name; what becomes of it when a guest is merged or removed.

-- Sessions are found by the number of their user's row, which grows, and not by the random uid, so that a sign-up writes one
-- random page less. A number may be used again when its user is gone, so the uid is looked at too; 0 is nobody's.
ALTER TABLE sessions ADD COLUMN user_number {{integer}} NOT NULL DEFAULT 0;
UPDATE sessions SET user_number = COALESCE((SELECT id FROM users WHERE users.uid = sessions.uid), 0);
DROP INDEX sessions_uid;
CREATE INDEX sessions_user_number ON sessions (user_number);

-- The due time of a guest's clean-up; null while it is off, and for good from the first credential on.
ALTER TABLE users ADD COLUMN cleanup_at {{integer}};
-- The merge that holds a guest while the hooks are asked; until it is settled nobody may change the guest.
ALTER TABLE users ADD COLUMN merge_id {{text}};
-- The number of the newest change to the user's documents, raised in the transaction of the change.
ALTER TABLE users ADD COLUMN change_number {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN document_count {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN document_bytes {{integer}} NOT NULL DEFAULT 0;

-- The guests: those to be scheduled first, then the others by their due time.
CREATE INDEX users_guests ON users (cleanup_at) WHERE anonymous_since IS NOT NULL;
-- Who may still come back to a ticket.
CREATE INDEX tickets_asking_uid ON tickets (asking_uid) WHERE state IN ('open', 'approved');

-- A document's version is the number of the change that wrote it. What it holds comes last, so that reading the rest of a
-- row does not walk through a long one.
CREATE TABLE documents (
    id {{id}},
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    collection {{text}} NOT NULL,
    name {{text}} NOT NULL,
    bytes {{integer}} NOT NULL,
    version {{integer}} NOT NULL,
    created_at {{integer}} NOT NULL,
    updated_at {{integer}} NOT NULL,
    content {{text}} NOT NULL,
    UNIQUE (uid, collection, name)
);

-- Which document each change was about, in the order of time; kept for as long as a listener may resume.
CREATE TABLE changes (
    id {{id}},
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    number {{integer}} NOT NULL,
    collection {{text}} NOT NULL,
    name {{text}} NOT NULL,
    changed_at {{integer}} NOT NULL,
    UNIQUE (uid, number)
);

-- A username is unique by its lower-case form.
CREATE TABLE usernames (
    id {{id}},
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    name {{text}} NOT NULL,
    canonical {{text}} NOT NULL,
    created_at {{integer}} NOT NULL,
    UNIQUE (uid),
    UNIQUE (canonical)
);

-- Of a user that is gone only this is kept, so that late writes of the app's back end find the successor.
CREATE TABLE former_users (
    id {{id}},
    uid {{text}} NOT NULL,
    created_at {{integer}} NOT NULL,
    gone_at {{integer}} NOT NULL,
    merged_into {{text}},
    UNIQUE (uid)
);

-- A merge: preparing (only with hooks) → committed | cancelled. The report is kept for as long as the call may be repeated.
CREATE TABLE merges (
    id {{id}},
    merge {{text}} NOT NULL,
    uid {{text}} NOT NULL,
    target_uid {{text}} NOT NULL,
    state {{text}} NOT NULL,
    report {{text}},
    reason {{text}},
    leased_until {{integer}},
    created_at {{integer}} NOT NULL,
    settled_at {{integer}},
    UNIQUE (merge)
);

-- The merge that a sign-in led to, so that repeating the call answers its report too.
ALTER TABLE tickets ADD COLUMN result_merge {{text}};

CREATE INDEX merges_uid ON merges (uid);
CREATE INDEX merges_preparing ON merges (leased_until) WHERE state = 'preparing';

-- What hooks are told, and what they are asked while a merge is prepared: an outbox, one row for each message and hook.
CREATE TABLE webhook_deliveries (
    id {{id}},
    delivery {{text}} NOT NULL,
    event {{text}} NOT NULL,
    hook {{text}} NOT NULL,
    merge {{text}},
    state {{text}} NOT NULL,
    payload {{text}} NOT NULL,
    attempts {{integer}} NOT NULL,
    due_at {{integer}} NOT NULL,
    leased_by {{text}},
    created_at {{integer}} NOT NULL,
    settled_at {{integer}},
    reason {{text}},
    UNIQUE (delivery)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (hook, due_at) WHERE state = 'queued';
CREATE INDEX webhook_deliveries_settled_at ON webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX webhook_deliveries_merge ON webhook_deliveries (merge) WHERE merge IS NOT NULL;
