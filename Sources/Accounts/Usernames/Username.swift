/// A name by which friends find a user: 3 to 30 of ASCII letters, digits, `_`, `.` and `-`.
package struct Username: Sendable, Equatable {
    /// As its holder spells it.
    package let text: String

    /// Checks a name; `nil` for what is none.
    package init?(_ text: String) {
        guard (3...30).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// In lower case, by which it is unique.
    package var canonical: String { text.lowercased() }

    /// Its letters and digits in lower case, by which reserved words are found: `A.d-m_i_n` passes for `admin` no less than
    /// `Admin` does.
    package var bare: String { Self.bare(text) }

    /// Letters and digits of a text, in lower case.
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

/// A username with the user who has it.
package struct UsernameHolder: Sendable, Equatable {
    package let uid: String
    /// As the holder spells it.
    package let username: String

    /// Makes a holder from its parts.
    package init(uid: String, username: String) {
        self.uid = uid
        self.username = username
    }
}

/// Words that nobody may have as a username.
package enum ReservedUsernames {
    /// Those that pass for the operator, a mailbox of the operator (RFC 2142), a path, or nobody at all.
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
