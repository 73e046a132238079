-- Room on each page of `users` for a second version of most of its rows. A new user's row changes once more when the sign-in is recorded.
-- One transaction does so for many users, and PostgreSQL keeps both versions at least until it has ended. Where the second version does not
-- fit on the page, every index of `users` changes. The setting applies to pages that are filled from now on.
{{server}} ALTER TABLE users SET (fillfactor = 60);
