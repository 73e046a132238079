-- What the notices of changed sign-in methods take back: each method that a call of the user's own added or removed. `code` is
-- the action code in the notice's link, and `linked_at` is when the user got the method.

CREATE TABLE method_changes (
    id {{id}},
    uid {{text}} NOT NULL REFERENCES users (uid) ON DELETE CASCADE,
    code {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    provider {{text}} NOT NULL,
    subject {{text}} NOT NULL,
    email {{text}},
    display_name {{text}},
    photo_url {{text}},
    screen_name {{text}},
    linked_at {{integer}} NOT NULL,
    device {{text}} NOT NULL,
    changed_at {{integer}} NOT NULL,
    expires_at {{integer}} NOT NULL
);

CREATE INDEX method_changes_uid ON method_changes (uid);
CREATE INDEX method_changes_expires_at ON method_changes (expires_at);
