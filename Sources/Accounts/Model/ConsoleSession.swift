/// A session of the console that a URL of the command line opened, or the URL itself.
///
/// Times are milliseconds since 1970.
package struct ConsoleSession: Sendable, Equatable {
    /// The id in the browser's cookie; for a URL that was not used, the digest of its token.
    package let id: String
    /// The name of the person who asked for the URL.
    package let name: String
    /// When the session was opened; `nil` for a URL that was not used.
    package let openedAt: Int64?
    package let createdAt: Int64
    /// When the session or the URL is over, unless the session is used before.
    package let expiresAt: Int64

    /// Makes a session from its parts.
    package init(id: String, name: String, openedAt: Int64?, createdAt: Int64, expiresAt: Int64) {
        self.id = id
        self.name = name
        self.openedAt = openedAt
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A person who uses the console.
package struct ConsoleCaller: Sendable, Equatable {
    /// How the audit log names the person.
    package let actor: AuditActor
    /// The name that the console shows: an administrator's address, or the name of a console URL.
    package let name: String
    /// Whether the person may change nothing, export nothing, and see no content of documents.
    package let isReadOnly: Bool
    /// When the person signed in, in milliseconds since 1970; `nil` if changes need no recent sign-in.
    package let signedInAt: Int64?

    /// Makes a caller from its parts.
    package init(actor: AuditActor, name: String, isReadOnly: Bool, signedInAt: Int64?) {
        self.actor = actor
        self.name = name
        self.isReadOnly = isReadOnly
        self.signedInAt = signedInAt
    }

    /// The caller of a development server, which has no sign-in.
    package static let development = ConsoleCaller(
        actor: AuditActor(.console, "development"),
        name: "development",
        isReadOnly: false,
        signedInAt: nil
    )
}
