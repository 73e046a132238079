-- Ways in beside the mailed link: identity providers, custom tokens, and users who came from elsewhere.

-- Set once a custom token has signed the user in.
ALTER TABLE users ADD COLUMN custom_auth_at {{integer}};
ALTER TABLE users ADD COLUMN screen_name {{text}};
-- Set on users that an import made: only they may exchange tokens of where they came from.
ALTER TABLE users ADD COLUMN imported_at {{integer}};

-- The claims of the custom token that a session began with, a JSON object; every token of the session repeats them.
ALTER TABLE sessions ADD COLUMN claims {{text}};
-- Set on sessions that another issuer's token was exchanged for.
ALTER TABLE sessions ADD COLUMN exchanged_at {{integer}};

-- When the last session cookie that the key may have signed ends: it stays published until then.
ALTER TABLE signing_keys ADD COLUMN cookies_until {{integer}};

CREATE INDEX identities_email ON identities (email) WHERE email IS NOT NULL;

-- Tokens of others that are good for one use, by their SHA-256, for as long as they could be used again.
CREATE TABLE spent_tokens (
    id {{id}},
    digest {{text}} NOT NULL,
    expires_at {{integer}} NOT NULL,
    UNIQUE (digest)
);

CREATE INDEX spent_tokens_expires_at ON spent_tokens (expires_at);
