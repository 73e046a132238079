-- When the audit log last got an entry about the user's writes of documents, which it gets every ten minutes at most; negative if documents
-- were written since without another entry. NULL before the first entry.
ALTER TABLE users ADD COLUMN documents_audited_at {{integer}};
