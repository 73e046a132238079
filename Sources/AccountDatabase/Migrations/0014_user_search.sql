-- Indexes for the operator's lists and searches of users. None of them has a row of a guest who is in good standing, so that a
-- sign-up writes to none of them.

CREATE INDEX users_permanent ON users (created_at, id) WHERE anonymous_since IS NULL;
CREATE INDEX users_disabled ON users (disabled_at, id) WHERE disabled_at IS NOT NULL;
CREATE INDEX users_contested ON users (contested_at, id) WHERE contested_at IS NOT NULL;
-- Across all providers: the unique key begins with the provider.
CREATE INDEX identities_subject ON identities (subject);
