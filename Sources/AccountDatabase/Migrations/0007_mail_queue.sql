-- The order in which mails leave. Rows of the released version have rank 0 and so come first.

ALTER TABLE outbox ADD COLUMN rank {{integer}} NOT NULL DEFAULT 0;
-- The keyed hash of the recipient, once a mail server has said that there is no such mailbox.
ALTER TABLE outbox ADD COLUMN mailbox {{text}};

CREATE INDEX outbox_rank ON outbox (rank) WHERE state = 'queued';
-- A postponed mail has a rank of its own range, so that workers who look for mails never read past those that wait for a retry.
CREATE INDEX outbox_postponed ON outbox (due_at) WHERE state = 'queued' AND rank >= 4503599627370496;

-- Addresses that a mail server said do not exist: keyed hashes, and until when nothing is sent to them.
CREATE TABLE suppressed_mailboxes (
    id {{id}},
    mailbox {{text}} NOT NULL,
    suppressed_until {{integer}} NOT NULL,
    UNIQUE (mailbox)
);

CREATE INDEX suppressed_mailboxes_until ON suppressed_mailboxes (suppressed_until);
