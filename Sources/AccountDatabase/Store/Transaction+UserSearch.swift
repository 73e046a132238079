package import Accounts
package import Database

extension Transaction {
    package func users(
        _ search: UserSearch,
        after position: UserSearchPosition?,
        limit: Int
    ) throws -> FoundUsers {
        // A position of another kind of search is no place in this one.
        guard position.map({ ($0.field == nil) == search.text.isEmpty }) ?? true else {
            return FoundUsers(users: [], next: nil)
        }
        var page = SearchPage(search, limit: limit)
        if search.text.isEmpty {
            try page.take(listed(search.filter, after: position, limit: page.rowsToRead), after: position)
        } else {
            let fields = UserSearch.Field.allCases.drop { position?.field != nil && $0 != position?.field }
            for field in fields where !page.isFull {
                let prefix = search.prefix(of: field)
                guard !prefix.isEmpty else { continue }
                let beginning = UserSearchPosition(field: field, key: prefix, row: -1)
                let start = position.flatMap { $0.field == field ? $0 : nil } ?? beginning
                try page.take(found(prefix, after: start, limit: page.rowsToRead), after: start)
            }
        }
        return page.result
    }

    /// Returns users of a kind, the newest of that kind first.
    private func listed(
        _ filter: UserSearch.Filter?,
        after position: UserSearchPosition?,
        limit: Int
    ) throws -> [FoundRow] {
        let row = position?.row ?? .max, time = position.flatMap { Int64($0.key) } ?? .max
        let (key, rows): (SQL, SQL) =
            switch filter {
            // Guests have no index for this list, because each sign-up would pay for it: the page reads past other users.
            case nil, .guests: ("u.created_at", "u.id < \(row) ORDER BY u.id DESC")
            case .permanent:
                (
                    "u.created_at",
                    """
                    u.anonymous_since IS NULL AND (u.created_at, u.id) < (\(time), \(row))
                    ORDER BY u.created_at DESC, u.id DESC
                    """
                )
            case .disabled:
                (
                    "u.disabled_at",
                    """
                    u.disabled_at IS NOT NULL AND (u.disabled_at, u.id) < (\(time), \(row))
                    ORDER BY u.disabled_at DESC, u.id DESC
                    """
                )
            case .contested:
                (
                    "u.contested_at",
                    """
                    u.contested_at IS NOT NULL AND (u.contested_at, u.id) < (\(time), \(row))
                    ORDER BY u.contested_at DESC, u.id DESC
                    """
                )
            }
        return try all(
            """
            SELECT \(User.columns), u.id, n.name, \(key) FROM users u LEFT JOIN usernames n ON n.uid = u.uid
            WHERE \(rows) LIMIT \(Int64(limit))
            """
        ) { row in
            let position = UserSearchPosition(field: nil, key: String(try row.integer(26)), row: try row.integer(24))
            return FoundRow(try FoundUser(row, field: nil), position)
        }
    }

    /// The highest code point, with which no stored text begins.
    private static let highest = "\u{10FFFF}"

    /// Returns the users with a value of a field that begins with a text, after a position, in the order of the values.
    private func found(_ prefix: String, after start: UserSearchPosition, limit: Int) throws -> [FoundRow] {
        let end = prefix + Self.highest
        // The number orders equal values: a subject may occur at several providers. The other fields are unique.
        let (key, number, tables): (SQL, SQL, SQL) =
            switch start.field {
            case .uid, nil: ("u.uid", "u.id", "users u LEFT JOIN usernames n ON n.uid = u.uid")
            case .email: ("u.email", "u.id", "users u LEFT JOIN usernames n ON n.uid = u.uid")
            case .username: ("n.canonical", "n.id", "usernames n JOIN users u ON u.uid = n.uid")
            case .subject:
                (
                    "i.subject", "i.id",
                    "identities i JOIN users u ON u.uid = i.uid LEFT JOIN usernames n ON n.uid = u.uid"
                )
            }
        // A user with several such subjects is found by the one that was stored first.
        let isFirst: SQL =
            start.field != .subject
            ? ""
            : """
            AND NOT EXISTS (
                SELECT 1 FROM identities j
                WHERE j.uid = i.uid AND j.id < i.id AND j.subject >= \(prefix) AND j.subject < \(end)
            )
            """
        return try all(
            """
            SELECT \(User.columns), u.id, n.name, \(key), \(number) FROM \(tables)
            WHERE \(key) >= \(start.key) AND \(key) < \(end) AND (\(key) > \(start.key) OR \(number) > \(start.row))
                \(isFirst)
            ORDER BY \(key), \(number) LIMIT \(Int64(limit))
            """
        ) { row in
            let position = UserSearchPosition(field: start.field, key: try row.text(26), row: try row.integer(27))
            return FoundRow(try FoundUser(row, field: start.field), position)
        }
    }
}

extension FoundUser {
    /// Reads ``User/columns`` at the first column, and the username at column 25.
    fileprivate init(_ row: borrowing Row, field: UserSearch.Field?) throws {
        self.init(user: try User(row, at: 0), username: try row.optionalText(25), field: field)
    }
}

/// A row that a search read.
private struct FoundRow {
    let found: FoundUser
    let position: UserSearchPosition

    init(_ found: FoundUser, _ position: UserSearchPosition) {
        (self.found, self.position) = (found, position)
    }
}

/// A page that is being filled.
private struct SearchPage {
    let search: UserSearch
    let limit: Int
    private var users: [FoundUser] = []
    private var read = 0
    private var next: UserSearchPosition?
    private(set) var isFull = false

    init(_ search: UserSearch, limit: Int) {
        (self.search, self.limit) = (search, limit)
    }

    /// The number of rows to read next: one more than the page may take, or if rows may be skipped, all that a page may
    /// read.
    var rowsToRead: Int {
        let skips = search.filter == .guests || !search.text.isEmpty && search.filter != nil
        return skips ? UserSearchWindow.rows - read : limit - users.count + 1
    }

    var result: FoundUsers { FoundUsers(users: users, next: next) }

    /// Takes rows until the page is full.
    ///
    /// - Parameters:
    ///   - rows: the rows of one field, at most ``rowsToRead``.
    ///   - start: the position after which they begin; `nil` at the beginning of a list.
    mutating func take(_ rows: [FoundRow], after start: UserSearchPosition?) {
        let asked = rowsToRead
        var last = start
        for row in rows {
            guard users.count < limit else {
                isFull = true
                next = last
                return
            }
            last = row.position
            if search.admits(row.found) { users.append(row.found) }
        }
        read += rows.count
        // The page may read no more, and is perhaps not full.
        if rows.count == asked {
            isFull = true
            next = last
        }
    }
}

extension UserSearch {
    /// Whether a user belongs on a page, and was not found by an earlier field.
    fileprivate func admits(_ found: FoundUser) -> Bool {
        guard filter?.admits(found.user) ?? true else { return false }
        guard let field = found.field else { return true }
        let user = found.user
        for earlier in Field.allCases.prefix(while: { $0 != field }) {
            let value =
                switch earlier {
                case .uid: user.uid
                case .email: user.email
                case .username: found.username?.lowercased()
                case .subject: nil as String?
                }
            let prefix = prefix(of: earlier)
            if !prefix.isEmpty, let value, value.utf8.starts(with: prefix.utf8) { return false }
        }
        return true
    }
}
