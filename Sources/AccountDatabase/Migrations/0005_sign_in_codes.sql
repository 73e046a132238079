-- The lengths of a ticket's code and digits: NULL for six and two, as all tickets before this migration have, 8 for eight and three.
ALTER TABLE tickets ADD COLUMN code_form {{integer}};
-- Set where the asker was trusted when it asked.
ALTER TABLE tickets ADD COLUMN trusted_at {{integer}};
-- How many wrong addresses were presented with the ticket's links.
ALTER TABLE tickets ADD COLUMN wrong_addresses {{integer}} NOT NULL DEFAULT 0;

-- For the open requests of an address. The state is no part of it, because each change of the state would then change the index.
CREATE INDEX tickets_email ON tickets (email);
