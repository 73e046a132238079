extension Transaction {
    package func count(_ name: String, by uses: Int64, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        let start = now - now % window
        // A node that is a moment behind, or began a moment earlier, counts into the window that others have begun.
        let used = try first(
            """
            INSERT INTO limits (name, window_start, used) VALUES (\(name), \(start), \(uses))
            ON CONFLICT (name) DO UPDATE SET
                used = CASE WHEN limits.window_start >= excluded.window_start THEN limits.used + \(uses) ELSE \(uses) END,
                window_start = CASE WHEN limits.window_start > excluded.window_start
                    THEN limits.window_start ELSE excluded.window_start END
            RETURNING used
            """
        ) { row in try row.integer(0) }
        return (used ?? 0, start + window - now)
    }

    package func tally(_ name: String, in window: Int64) throws {
        let start = now - now % window
        try perform(
            """
            INSERT INTO limits (name, window_start, used) VALUES (\(name), \(start), 1)
            ON CONFLICT (name) DO UPDATE SET
                used = CASE WHEN limits.window_start >= excluded.window_start THEN limits.used + 1 ELSE 1 END,
                window_start = CASE WHEN limits.window_start > excluded.window_start
                    THEN limits.window_start ELSE excluded.window_start END
            """
        )
    }

    package func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        let start = now - now % window
        let used = try first("SELECT used FROM limits WHERE name = \(name) AND window_start >= \(start)") { row in
            try row.integer(0)
        }
        return (used ?? 0, start + window - now)
    }
}
