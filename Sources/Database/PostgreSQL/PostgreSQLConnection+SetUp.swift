extension PostgreSQLConnection {
    /// Sets up a new session, and adjusts the clock to the server's.
    ///
    /// Also tests a session that is set up already.
    ///
    /// - Throws: `unavailable`, or another error with which the server answers.
    func setUp(_ clock: DatabaseClock) throws(DatabaseError) {
        begin(.single)
        if configuration.prepares {
            for (name, value) in configuration.sessionSettings + PostgreSQLConfiguration.planSettings {
                try queue("SELECT set_config(\(name), \(value), false)")
            }
        }
        try askForTheTime(clock)
    }

    /// Rejects a server with `synchronous_commit = off`, which acknowledges COMMIT before it is durable, and a database
    /// whose encoding is not UTF-8.
    ///
    /// - Throws: `misuse` for such a server or database; otherwise the error of the query.
    func requireSoundness() throws(DatabaseError) {
        begin(.single)
        defer { rollback() }
        let cursor = try open("SELECT current_setting('synchronous_commit'), current_setting('server_encoding')")
        guard try cursor.step(), try cursor.text(0) != "off" else {
            throw DatabaseError(
                .misuse,
                message:
                    "synchronous_commit is off on this server, so a crash would lose confirmed transactions. Turn it "
                    + "on, at least for this role: ALTER ROLE … SET synchronous_commit = on"
            )
        }
        let encoding = try cursor.text(1) ?? "of no name"
        guard encoding == "UTF8" else {
            throw DatabaseError(
                .misuse,
                message:
                    "the database has the encoding \(encoding), which cannot hold all names; create a database with ENCODING 'UTF8'"
            )
        }
    }

    /// Asks the server for the time, and adjusts the clock.
    func readClock(_ clock: DatabaseClock) throws(DatabaseError) {
        begin(.single)
        try askForTheTime(clock)
    }

    private func askForTheTime(_ clock: DatabaseClock) throws(DatabaseError) {
        defer { rollback() }
        let asked = Deadline.now
        let cursor = try open("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)")
        let answered = Deadline.now
        guard try cursor.step(), let time = try cursor.integer(0) else {
            throw DatabaseError(.internal, message: "the server does not tell the time")
        }
        clock.set(time, asked: asked, answered: answered)
    }
}

extension Transaction {
    /// Sets a server parameter until the end of the transaction.
    func configure(_ name: String, _ value: String) throws(DatabaseError) {
        try enqueue("SELECT set_config(\(name), \(value), true)")
    }
}
