import DatabaseHarness
import Foundation
import PostgreSQLHarness

@testable import AccountDatabase
@testable import Database

/// A place for a complete database on either engine, where a test can do what no program of the product does.
final class Place: Sendable {
    let engine: TestDatabase.Engine
    /// The URL, in the form of the setting `database`.
    let url: String
    private let folder: String
    private let database: TestDatabase

    /// - Parameter isEmpty: whether the place is empty, even without the schema.
    init(_ engine: TestDatabase.Engine, isEmpty: Bool = false) throws {
        self.engine = engine
        folder = try Fresh.folder()
        database = try TestDatabase(in: folder, isMigrated: !isEmpty, engine: engine)
        url = database.url
        if !isEmpty { try open().close() }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { String(url.dropFirst("sqlite:".count)) }

    /// Opens the database as a server does.
    func open() throws -> any Database {
        switch engine {
        case .sqlite: try SQLiteDatabase(SQLiteConfiguration(path: path), migrations: Migration.embedded())
        case .postgreSQL: try PostgreSQLDatabase(PostgreSQLConfiguration(url: url), migrations: Migration.embedded())
        }
    }

    func snapshot() throws -> DatabaseSnapshot {
        switch engine {
        case .sqlite: try DatabaseSnapshot(sqlite: path, migrations: Migration.embedded(), tables: OwnTables.copied)
        case .postgreSQL:
            try DatabaseSnapshot(
                PostgreSQLConfiguration(url: url),
                migrations: Migration.embedded(),
                tables: OwnTables.copied
            )
        }
    }

    /// Runs statements behind the product's back, without checking foreign keys.
    func tamper(_ script: String) throws {
        switch engine {
        case .sqlite:
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }
            let connection = try SQLiteConnection(path: path, busyTimeout: 1_000, cacheLimit: 1)
            defer { connection.close() }
            try connection.runScript(script)
        case .postgreSQL:
            // Makes the server update its statistics at once, and not at its next interval.
            try PostgreSQLServer.shared.get().psql(
                url,
                "SET session_replication_role = replica; \(script); SELECT pg_stat_force_next_flush()"
            )
        }
    }

    /// A database with one of everything that has references.
    static let world = """
        INSERT INTO users (id, uid, email, valid_since, created_at, last_login_at, last_refresh_at, change_number,
            document_count, document_bytes, taken_over_at, contested_at, contested_email)
            VALUES (1, 'ann', 'ann@example.com', 1, 1, 1, 1, 3, 2, 7, 8, 9, 'old@example.com');
        INSERT INTO users (id, uid, anonymous_since, merge_id, valid_since, created_at, last_login_at, last_refresh_at)
            VALUES (2, 'guest', 1, 'm2', 1, 1, 1, 1);
        INSERT INTO former_users (uid, created_at, gone_at, merged_into)
            VALUES ('merged', 1, 2, 'ann'), ('deleted', 1, 2, NULL), ('early', 1, 2, 'late'), ('late', 1, 2, 'ann');
        INSERT INTO merges (merge, uid, target_uid, state, leased_until, created_at) VALUES
            ('m1', 'merged', 'ann', 'committed', NULL, 1), ('m2', 'guest', 'ann', 'preparing', 9, 1),
            ('m3', 'deleted', 'ann', 'cancelled', NULL, 1);
        INSERT INTO webhook_deliveries (delivery, event, hook, merge, state, payload, attempts, due_at, created_at)
            VALUES ('w1', 'merge.prepare', 'h', 'm2', 'asked', '{}', 0, 1, 1);
        INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at,
            last_used_at, ended_at) VALUES ('s1', 'ann', 1, 'password', 1, 1, 1, 1, 1, NULL),
            ('s2', 'merged', 7, 'anonymous', 1, 1, 1, 1, 1, 2);
        INSERT INTO identities (uid, provider, subject, created_at) VALUES ('ann', 'google.com', '17', 1);
        INSERT INTO usernames (uid, name, canonical, created_at) VALUES ('ann', 'Ann', 'ann', 1);
        INSERT INTO documents (id, uid, collection, name, bytes, version, created_at, updated_at, content)
            VALUES (1, 'ann', 'notes', 'a', 2, 1, 1, 1, '{}'), (2, 'ann', 'notes', 'b', 5, 3, 1, 1, '{"a"}');
        INSERT INTO changes (id, uid, number, collection, name, changed_at)
            VALUES (1, 'ann', 1, 'notes', 'a', 1), (2, 'ann', 3, 'notes', 'b', 1);
        INSERT INTO tickets (ticket, key_id, email, state, mail_state, asking_client, device, locale, wrong_codes,
            created_at, expires_at) VALUES ('t1', 1, 'ann@example.com', 'open', 'sent', 'c', 'd', 'en', 0, 1, 2);
        INSERT INTO action_codes (id, code, purpose, ticket, email, locale, created_at, expires_at)
            VALUES (1, 'c1', 'EMAIL_SIGNIN', 't1', 'ann@example.com', 'en', 1, 2);
        INSERT INTO settings (name, value, updated_at) VALUES ('administrators', 'ann', 1), ('secret-check', 'x', 1);
        INSERT INTO audit_log (at, event, uid) VALUES (1, 'user.created', 'ann'), (2, 'user.deleted', 'deleted'),
            (2, 'user.merged', 'merged'), (2, 'users.imported', NULL);
        INSERT INTO outbox (mail, kind, ticket, state, payload, attempts, due_at, created_at)
            VALUES ('o1', 'sign-in', 't1', 'queued', 'sealed', 0, 1, 1);
        INSERT INTO limits (name, window_start, used) VALUES ('l1', 1, 1);
        INSERT INTO known_clients (address, client, last_seen_at) VALUES ('a1', 'k1', 1);
        INSERT INTO signing_keys (kid, algorithm, private_key, created_at, signs_from) VALUES ('k', 'ES256', 'p', 1, 1);
        INSERT INTO leases (name, worker, leased_until, position) VALUES ('cleanup', 'w', 1, 0);
        INSERT INTO spent_tokens (digest, expires_at) VALUES ('d', 1);
        INSERT INTO method_changes (uid, code, kind, provider, subject, linked_at, device, changed_at, expires_at)
            VALUES ('ann', 'c2', 'added', 'google.com', '17', 1, '', 1, 2);
        INSERT INTO console_sessions (session, name, opened_at, created_at, expires_at) VALUES ('c1', 'ann', NULL, 1, 2);
        INSERT INTO adopted_sessions (uid, auth_time, sid, adopted_at) VALUES ('ann', 1, 's1', 2);
        INSERT INTO adopted_tokens (digest, uid, sid) VALUES ('d1', 'ann', 's1');
        INSERT INTO firebase_users (uid, is_guest, seen_at) VALUES ('ann', 1, 2);
        INSERT INTO firebase_counts (name, value) VALUES ('asked', 1);
        INSERT INTO browser_sessions (session, page, uid, sid, created_at, expires_at) VALUES ('b1', 'account', 'ann', 's1', 1, 2);
        INSERT INTO suppressed_mailboxes (mailbox, suppressed_until) VALUES ('b', 1);
        INSERT INTO mail_trace (at, event, request, mail, occurrences) VALUES (1, 'queued', 't1', 'o1', 1);
        """
}
