/// Everything in which the engines differ, in one place: how binds are numbered, what a few words of the migrations
/// mean, and the statement that takes leases.
///
/// All other SQL is one text for all engines.
package enum Dialect: Sendable, Hashable {
    case sqlite

    /// Words that migrations write as `{{word}}`.
    private var words: [(word: String, meaning: String)] {
        switch self {
        case .sqlite:
            [
                // A rowid table in insertion order; an id may come again after the newest row was deleted.
                ("id", "INTEGER PRIMARY KEY"),
                // Ids only grow, also after deletions: for logs and events that others have read up to some id.
                ("sequence", "INTEGER PRIMARY KEY AUTOINCREMENT"),
                ("text", "TEXT"),
                ("integer", "INTEGER"),
                // After the closing parenthesis of a table: columns hold their declared type only.
                ("strict", "STRICT"),
            ]
        }
    }

    /// Writes the number of a bind.
    ///
    /// SQLite numbers `$2, $1` by first appearance and only `?2, ?1` by number, so `?` it is.
    private func appendPlaceholder(_ number: Int, to text: inout [UInt8]) {
        switch self {
        case .sqlite: text.append(UInt8(ascii: "?"))
        }
        text.append(contentsOf: String(number).utf8)
    }

    /// The text as the engine wants it, binds numbered from 1.
    ///
    /// - Throws: `misuse` when the text has other marks than binds, or an identifier that cannot be quoted.
    func render(_ sql: SQL) throws(DatabaseError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(sql.text.count + 3 * sql.values.count)
        var number = 0
        for byte in sql.text {
            if byte == SQL.bindMark {
                number += 1
                appendPlaceholder(number, to: &text)
            } else {
                text.append(byte)
            }
        }
        guard number == sql.values.count, !sql.hasInvalidIdentifier else {
            throw DatabaseError(.misuse, message: "an identifier holds control characters", statement: sql.description)
        }
        return text
    }

    /// Replaces the `{{words}}` of a migration.
    ///
    /// - Throws: `misuse` for a word that is not known, or braces left open.
    package func expand(_ migration: String) throws(DatabaseError) -> String {
        let source = Array(migration.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            guard source[index] == UInt8(ascii: "{"), index + 1 < source.count, source[index + 1] == source[index]
            else {
                result.append(source[index])
                index += 1
                continue
            }
            var end = index + 2
            while end < source.count, source[end] != UInt8(ascii: "}") { end += 1 }
            let name = String(decoding: source[(index + 2)..<end], as: UTF8.self)
            guard end + 1 < source.count, source[end + 1] == UInt8(ascii: "}"),
                let known = words.first(where: { $0.word == name })
            else {
                throw DatabaseError(.misuse, message: "a migration uses the unknown word {{\(name)}}")
            }
            result.append(contentsOf: known.meaning.utf8)
            index = end + 2
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The statement that takes rows of a queue for one worker: due ones that nobody else takes at the same moment.
    ///
    /// SQLite has one writer, so a plain conditional update is enough.
    ///
    /// - Parameters:
    ///   - table: the queue; its key column must be `id`.
    ///   - assignments: what marks a row as taken, `lease_until = \(…), attempts = attempts + 1`.
    ///   - condition: which rows are due and free.
    ///   - order: which come first, `due_at, id`.
    ///   - limit: how many at most.
    ///   - columns: what to answer for each taken row. Their order is undefined.
    /// - Returns: the statement; it answers one row for each that it took.
    package func lease(
        from table: String,
        setting assignments: SQL,
        where condition: SQL,
        orderedBy order: SQL,
        limit: Int,
        returning columns: SQL
    ) -> SQL {
        switch self {
        case .sqlite:
            """
            UPDATE \(identifier: table) SET \(assignments) WHERE id IN \
            (SELECT id FROM \(identifier: table) WHERE \(condition) ORDER BY \(order) LIMIT \(limit)) \
            RETURNING \(columns)
            """
        }
    }
}
