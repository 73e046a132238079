-- When the sign-in e-mail was requested, if it shows its link only because the client cannot take a code: otherwise NULL.
ALTER TABLE tickets ADD COLUMN link_only_at {{integer}};
