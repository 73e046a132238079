-- Addresses that were confirmed by a mailed code, and the disputes about them.

-- When the present address was confirmed by a mail to it without proof that the account is its owner's. The first sign-in that proves
-- the address ends this.
ALTER TABLE users ADD COLUMN unclaimed_since {{integer}};
-- The same of the first address (initial_email).
ALTER TABLE users ADD COLUMN initial_unclaimed_since {{integer}};
-- When such a sign-in took the account over. Recovery codes of before no longer hand the account over.
ALTER TABLE users ADD COLUMN taken_over_at {{integer}};
-- When the old address objected to the takeover, and which address that is.
ALTER TABLE users ADD COLUMN contested_at {{integer}};
ALTER TABLE users ADD COLUMN contested_email {{text}};

-- Which device asked for the mail, for the page behind the link, and the keyed hash of its client, for what counts against the asker.
ALTER TABLE action_codes ADD COLUMN device {{text}};
ALTER TABLE action_codes ADD COLUMN asking_client {{text}};
-- Of a recovery code: the mark that the address had when another replaced it.
ALTER TABLE action_codes ADD COLUMN unclaimed_since {{integer}};
