-- A user's rows in the audit log and in the trace are found by the number of the user's row, which grows, and not by the random uid, so
-- that a sign-in writes one random page less in each. The number is NULL in rows of earlier versions, and where there was no such user:
-- those rows are found by the uid. A number may be used again when its user is gone, so the uid is looked at too.
ALTER TABLE audit_log ADD COLUMN user_number {{integer}};
ALTER TABLE mail_trace ADD COLUMN user_number {{integer}};
-- The number that the user had, or 0 for users who were deleted before this migration: their rows have no number. NULL for users whom a
-- node of an earlier version deletes after it.
ALTER TABLE former_users ADD COLUMN user_number {{integer}} DEFAULT 0;
{{server}} ALTER TABLE former_users ALTER COLUMN user_number DROP DEFAULT;

DROP INDEX audit_log_uid;
CREATE INDEX audit_log_uid ON audit_log (uid, id) WHERE uid IS NOT NULL AND user_number IS NULL;
CREATE INDEX audit_log_user ON audit_log (user_number, id) WHERE user_number IS NOT NULL;

DROP INDEX mail_trace_uid;
CREATE INDEX mail_trace_uid ON mail_trace (uid) WHERE uid IS NOT NULL AND user_number IS NULL;
CREATE INDEX mail_trace_user ON mail_trace (user_number) WHERE user_number IS NOT NULL;
