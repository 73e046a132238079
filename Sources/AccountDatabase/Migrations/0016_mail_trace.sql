-- What happened to each requested e-mail, for operators: one row for each event, kept for `life.trace`. `request` is the ticket of a
-- sign-in e-mail, otherwise the id of the e-mail. `address` is the keyed hash of the recipient, on rows that begin a request. `uid` is the
-- user whose session asked, or who signed in. `network` is a short keyed hash. `detail` is a relay's answer or the name of a limit, without
-- addresses. `occurrences` counts what one row stands for: refusals of one minute are counted, not listed.

CREATE TABLE mail_trace (
    id {{id}},
    at {{integer}} NOT NULL,
    event {{text}} NOT NULL,
    request {{text}} NOT NULL,
    mail {{text}},
    address {{text}},
    uid {{text}},
    kind {{text}},
    device {{text}},
    network {{text}},
    detail {{text}},
    occurrences {{integer}} NOT NULL
);

CREATE INDEX mail_trace_request ON mail_trace (request);
CREATE INDEX mail_trace_address ON mail_trace (address) WHERE address IS NOT NULL;
CREATE INDEX mail_trace_uid ON mail_trace (uid) WHERE uid IS NOT NULL;
CREATE INDEX mail_trace_mail ON mail_trace (mail) WHERE event = 'queued';

-- The e-mail that contains the link. NULL for links that an administrator made, and for links of earlier versions.
ALTER TABLE action_codes ADD COLUMN mail {{text}};
-- When an e-mail was last sent to the suppressed mailbox. NULL in rows of earlier versions.
ALTER TABLE suppressed_mailboxes ADD COLUMN tried_at {{integer}};
