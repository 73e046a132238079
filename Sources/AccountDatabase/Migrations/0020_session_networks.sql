-- The label of the network that the session began in: a short keyed hash, as in `mail_trace`. NULL in a guest's first session, and in
-- sessions of earlier versions.
ALTER TABLE sessions ADD COLUMN network {{text}};
