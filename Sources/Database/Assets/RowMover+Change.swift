extension RowMover {
    /// Rows of a table that hold one value (or several, of one key) and are to hold another.
    struct Change {
        struct Part {
            let column: String
            /// By what the old value is compared, as the foreign key does it.
            let collation: String?
            let old: SQLValue
            let new: SQLValue
            /// Whether texts have to be the same to be equal, whatever the column's type says.
            var isExact = false
        }

        let parts: [Part]

        var columns: [String] { parts.map(\.column) }

        /// Which rows these are.
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
