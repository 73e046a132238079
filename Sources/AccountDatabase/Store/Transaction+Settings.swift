package import Accounts
package import Database

extension Transaction {
    /// Returns the value of a setting stored in the database, such as the list of administrators; `nil` if it is not
    /// set.
    package func setting(_ name: String) throws -> String? {
        try first("SELECT value FROM settings WHERE name = \(name)") { row in try row.text(0) }
    }

    /// Stores a setting, replacing an earlier value.
    package func set(_ name: String, to value: String) throws {
        try enqueue(
            """
            INSERT INTO settings (name, value, updated_at) VALUES (\(name), \(value), \(now))
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
            """
        )
    }

    /// Deletes a setting, if it is set.
    package func removeSetting(_ name: String) throws {
        try enqueue("DELETE FROM settings WHERE name = \(name)")
    }

    package func administratorList() throws -> AdministratorList {
        AdministratorList(stored: try setting("administrators"))
    }

    package func setAdministratorList(_ list: AdministratorList) throws {
        try set("administrators", to: list.stored)
    }
}
