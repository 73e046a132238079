-- Room on each page, so that a row which changes stays on its page, and no index changes (PostgreSQL's heap-only tuples).
-- Every refresh changes a row of `sessions` and one of `users`, and every requested e-mail changes rows of `limits`. The setting applies to
-- pages that are filled from now on.
{{server}} ALTER TABLE sessions SET (fillfactor = 80);
{{server}} ALTER TABLE users SET (fillfactor = 80);
{{server}} ALTER TABLE limits SET (fillfactor = 50);
