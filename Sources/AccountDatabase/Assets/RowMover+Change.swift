internal import Database

extension RowMover {
    /// A change of key values: the rows of a table that hold the old values are to hold the new ones.
    struct Change {
        struct Part {
            let column: String
            /// The collation for comparing the column with the old value; `nil` for the column's own collation.
            let collation: String?
            let old: SQLValue
            let new: SQLValue
            /// Whether only an identical text matches the old value, although the column's type treats different texts
            /// as equal, as `citext` does.
            var isExact = false
        }

        let parts: [Part]

        var columns: [String] { parts.map(\.column) }

        /// Returns the SQL condition for the rows that hold the old values, for a table with the given alias.
        func matches(_ alias: String) -> SQL {
            SQL.all(parts) { part in
                let column: SQL = "\(identifier: alias).\(identifier: part.column)"
                let equal: SQL = "\(column)\(collation: part.collation) = \(part.old)"
                return part.isExact ? "\(equal) AND CAST(\(column) AS TEXT) COLLATE \"C\" = \(part.old)" : equal
            }
        }

        func part(_ column: String) -> Part? {
            parts.first { $0.column == column }
        }
    }
}
