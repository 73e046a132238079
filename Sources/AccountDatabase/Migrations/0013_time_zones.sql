-- The time zone that a request named, by its name in IANA's database: NULL for UTC, and for requests that named none.
ALTER TABLE tickets ADD COLUMN time_zone {{text}};
ALTER TABLE action_codes ADD COLUMN time_zone {{text}};
