-- The floor of a sign-up: a user and a session in a transaction of their own, in Latchkey's tables.
\set user random(1, 9000000000000000000)
\set session random(1, 9000000000000000000)
BEGIN;
INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)
VALUES (md5(CAST(CAST(:user AS BIGINT) AS TEXT)), 1900000000000, 1900000000, 1900000000000, 1900000000000, 1900000000000);
INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at, last_used_at)
VALUES (md5(CAST(CAST(:session AS BIGINT) AS TEXT)), md5(CAST(CAST(:user AS BIGINT) AS TEXT)),
    (SELECT id FROM users WHERE uid = md5(CAST(CAST(:user AS BIGINT) AS TEXT))), 'anonymous', 1, 1900000000000, 1900000000,
    1900000000000, 1900000000000);
COMMIT;
