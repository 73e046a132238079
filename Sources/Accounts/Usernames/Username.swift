/// A name by which other users find a user: 3 to 30 ASCII letters, digits, `_`, `.` and `-`.
package struct Username: Sendable, Equatable {
    /// The username as spelled by its holder or in a request.
    package let text: String

    /// Makes a username of a name as it is spelled; `nil` unless it has 3 to 30 allowed characters.
    ///
    /// Neither reserved words nor other users' names are checked.
    package init?(_ text: String) {
        guard (3...30).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// The lower-case form, which at most one user has.
    package var canonical: String { text.lowercased() }

    /// The letters and digits in lower case, which are compared with reserved words, so that `A.d-m_i_n` counts as
    /// `admin`.
    package var bare: String { Self.bare(text) }

    /// Returns a text in lower case and without `_`, `.` and `-`, which leaves the letters and digits of a username.
    package static func bare(_ text: String) -> String {
        String(text.lowercased().unicodeScalars.filter { !separators.contains($0) }.map(Character.init))
    }

    private static let separators: [Unicode.Scalar] = ["_", ".", "-"]

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A username and its owner.
package struct UsernameHolder: Sendable, Equatable {
    package let uid: String
    /// The username as its holder spells it.
    package let username: String

    /// Makes a holder from its parts.
    package init(uid: String, username: String) {
        self.uid = uid
        self.username = username
    }
}

/// The default words that cannot be usernames.
package enum ReservedUsernames {
    /// Words that suggest the operator, a mailbox of the operator (RFC 2142), a path, or the absence of a user.
    package static let standard: Set<String> = [
        "abuse", "account", "accounts", "admin", "administrator", "admins", "all", "anonymous", "anybody", "anyone",
        "api",
        "app", "auth", "billing", "bot", "contact", "deleted", "everybody", "everyone", "false", "guest", "help",
        "helpdesk", "hostmaster", "info", "latchkey", "legal", "login", "logout", "mail", "mailerdaemon", "mod",
        "moderator", "moderators", "nan", "nil", "nobody", "none", "noreply", "null", "official", "operator", "owner",
        "postmaster", "privacy", "register", "root", "sales", "security", "self", "settings", "signin", "signout",
        "signup", "staff", "status", "superuser", "support", "sysadmin", "system", "team", "true", "undefined",
        "unknown",
        "user", "username", "users", "verified", "webmaster", "www",
    ]
}
