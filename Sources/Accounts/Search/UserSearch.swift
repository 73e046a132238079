/// An operator's search for users.
package struct UserSearch: Sendable, Equatable {
    /// The kind of users to which a search is restricted.
    package enum Filter: String, Sendable, CaseIterable {
        case guests
        case permanent
        /// Users whom an administrator disabled.
        case disabled
        case contested

        /// Whether a user is of this kind.
        package func admits(_ user: User) -> Bool {
            switch self {
            case .guests: user.isAnonymous
            case .permanent: !user.isAnonymous
            case .disabled: user.disabledAt != nil
            case .contested: user.contest != nil
            }
        }
    }

    /// The maximum length of the text in bytes, more than a UID, an address or a username has.
    package static let longestText = 254

    /// The beginning of a UID, e-mail address, username or subject at an identity provider; empty for all users.
    package let text: String
    /// The kind of users to find; `nil` for all.
    package let filter: Filter?

    /// Makes a search.
    ///
    /// - Parameters:
    ///   - text: what the operator typed; white space at both ends is ignored.
    ///   - filter: the kind of users to find; `nil` for all.
    /// - Returns: `nil` for a text above ``longestText`` or with a control character, which no user has.
    package init?(_ text: String, filter: Filter? = nil) {
        guard text.utf8.count <= 4 * Self.longestText else { return nil }
        let trimmed = text.trimmingSpace
        guard trimmed.utf8.count <= Self.longestText,
            !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        self.text = trimmed
        self.filter = filter
    }

    /// The field of a user that a search compares.
    package enum Field: String, Sendable, CaseIterable {
        case uid
        case email
        case username
        case subject
    }

    /// The beginning of a field, in the form in which the field is stored.
    package func prefix(of field: Field) -> String {
        switch field {
        case .uid, .subject: text
        case .email: (try? EmailAddress(parsing: text))?.canonical ?? text.lowercased()
        case .username: (text.hasPrefix("@") ? String(text.dropFirst()) : text).lowercased()
        }
    }
}

/// A user whom a search found.
package struct FoundUser: Sendable, Equatable {
    package let user: User
    package let username: String?
    /// The field that begins with the searched text; `nil` if no text was searched.
    package let field: UserSearch.Field?

    /// Makes a found user from its parts.
    package init(user: User, username: String?, field: UserSearch.Field?) {
        self.user = user
        self.username = username
        self.field = field
    }
}

/// A page of a search's results.
package struct FoundUsers: Sendable, Equatable {
    package let users: [FoundUser]
    /// Where the next page begins; `nil` after the last page.
    ///
    /// There may be a next page although this one is not full, because a page reads a limited number of rows.
    package let next: UserSearchPosition?

    /// Makes a page from its parts.
    package init(users: [FoundUser], next: UserSearchPosition?) {
        self.users = users
        self.next = next
    }
}

/// The place after a page of a search's results.
///
/// It names the last row that was read and not a number of rows, so that pages stay stable while users come and go.
package struct UserSearchPosition: Sendable, Equatable {
    /// The field by which the search was going through users; `nil` if no text is searched.
    package let field: UserSearch.Field?
    /// The value of the field, or the time by which the list is sorted.
    package let key: String
    /// The number of the user's row.
    package let row: Int64

    /// Makes a position from its parts.
    package init(field: UserSearch.Field?, key: String, row: Int64) {
        self.field = field
        self.key = key
        self.row = row
    }

    /// Reads the position from ``text``; `nil` for any other text.
    package init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let row = Int64(parts[1]), text.utf8.count <= 2048 else { return nil }
        guard parts[0].isEmpty || UserSearch.Field(rawValue: String(parts[0])) != nil else { return nil }
        self.init(field: UserSearch.Field(rawValue: String(parts[0])), key: String(parts[2]), row: row)
        guard field != nil || Int64(key) != nil else { return nil }
    }

    /// The position as text, which may contain a user's address or name.
    package var text: String { "\(field?.rawValue ?? ""):\(row):\(key)" }
}

extension String {
    /// The text without white space at both ends.
    fileprivate var trimmingSpace: String {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
