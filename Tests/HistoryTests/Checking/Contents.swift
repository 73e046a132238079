import AccountDatabase
import Database
import Foundation

/// The content of Latchkey's tables but for ids, one line for each row, in no particular order of rows.
struct Contents {
    private let question: SQL

    /// Columns that differ between two runs of the same operations: numbers of rows, and sealed texts.
    private static let ignored: Set<String> = ["id", "user_number", "payload"]

    /// - Parameter transaction: a transaction of a SQLite database, which knows the columns.
    init(_ transaction: Transaction) throws {
        var questions: [SQL] = []
        for table in OwnTables.copied where table != "signing_keys" {
            let columns = try transaction.all("SELECT name FROM pragma_table_info(\(table)) ORDER BY name") {
                try $0.text(0)
            }
            var line: SQL = "''"
            for column in columns where !Self.ignored.contains(column) {
                line +=
                    " || ' ' || CAST(\(column) AS TEXT) || '=' || COALESCE(CAST(\(identifier: column) AS TEXT), '-')"
            }
            questions.append("SELECT CAST(\(table) AS TEXT) || \(line) FROM \(identifier: table)")
        }
        var all: SQL = ""
        for (place, question) in questions.enumerated() {
            if place > 0 { all += " UNION ALL " }
            all += question
        }
        self.question = all
    }

    func lines(_ transaction: Transaction) throws -> [String] {
        try transaction.all(question) { row in
            let line = try row.text(0)
            return line.hasPrefix("audit_log ") && line.contains("counters") ? Self.withoutCounterCount(line) : line
        }.sorted()
    }

    /// Returns an answer or an entry of the audit log without the number of deleted counters.
    ///
    /// A refused request leaves the rows of its counters in a shared transaction (``withoutReturned(_:_:)``), and not in one
    /// of its own.
    static func withoutCounterCount(_ text: String) -> String {
        text.replacing(/, counters:? [0-9]+|counters:? [0-9]+(, )?/, with: "")
    }

    /// Returns the contents of server and model without counters that requests have given back on the server, where the row
    /// of a counter stays and says 0.
    ///
    /// The counters of denials are compared, because they begin with 0.
    static func withoutReturned(_ server: [String], _ model: [String]) -> (server: [String], model: [String]) {
        let returned = server.compactMap { line -> String? in
            guard line.hasPrefix("limits name="), !line.hasPrefix("limits name=denied"), line.contains(" used=0 ")
            else {
                return nil
            }
            return line.components(separatedBy: " used=")[0]
        }
        guard !returned.isEmpty else { return (server, model) }
        func rest(_ lines: [String]) -> [String] {
            lines.filter { line in !returned.contains { line.hasPrefix($0 + " used=") } }
        }
        return (rest(server), rest(model))
    }

    /// Returns the lines in which two contents differ.
    static func differences(_ server: [String], _ model: [String]) -> [String] {
        var difference: [String] = []
        for change in model.difference(from: server) {
            switch change {
            case .insert(_, let line, _): difference.append("only the model has  \(line)")
            case .remove(_, let line, _): difference.append("only the server has \(line)")
            }
        }
        return difference
    }
}
