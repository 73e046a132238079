-- Set where the session that asked for the ticket was judged to be of a recent sign-in.
ALTER TABLE tickets ADD COLUMN judged_at {{integer}};
-- Set where an administrator's ID token made the ticket's link, without a mail.
ALTER TABLE tickets ADD COLUMN minted_at {{integer}};
-- Set where the administrator's key made the code for a user in administrators.
ALTER TABLE action_codes ADD COLUMN for_administrator_at {{integer}};
