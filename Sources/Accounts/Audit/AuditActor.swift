/// What made a change that the audit log records, and for what reason.
package struct AuditActor: Sendable, Equatable {
    /// The kinds of actors, by the words under which the audit log stores them.
    package enum Kind: String, Sendable, CaseIterable {
        /// A call without an administrator's credential, such as the user's own; stored as no actor.
        case client
        /// A user in `administrators` with an ID token; the name is the UID.
        case administrator
        /// The administrator's key; the name is what the caller claimed to be.
        case key
        /// `Bearer owner`, on the admin listener or in development; the name is the login at the other end of a
        /// Unix-domain socket.
        case owner
        /// The command line; the name is the login of the person who ran the command.
        case login
        /// The console, opened by a URL of the command line; the name is that of the URL.
        case console
        /// Work in the background of a server, such as clean-up.
        case server
    }

    /// The maximum number of characters in a name.
    package static let longestName = 100
    /// The maximum number of characters in a reason.
    package static let longestReason = 300

    package let kind: Kind
    /// The name, whose meaning depends on ``kind``; `nil` if none is known.
    package let name: String?
    /// The reason that the actor gave; `nil` without one.
    package var reason: String?

    /// Makes an actor of a kind.
    package init(_ kind: Kind, _ name: String? = nil, reason: String? = nil) {
        self.kind = kind
        self.name = name
        self.reason = reason
    }

    package static let client = AuditActor(.client)
    package static let server = AuditActor(.server)

    /// Reads an actor as the audit log stores it: nothing for a client, otherwise `kind` or `kind:name`.
    ///
    /// An unknown word, which a later version may have stored, is read as a name.
    package init(stored: String?, reason: String?) {
        let parts = (stored ?? "client").split(separator: ":", maxSplits: 1).map(String.init)
        let kind = parts.first.flatMap(Kind.init(rawValue:))
        self.init(kind ?? .server, kind == nil ? stored : parts.count == 2 ? parts[1] : nil, reason: reason)
    }

    /// The actor as the audit log stores it.
    package var stored: String? {
        kind == .client ? nil : name.map { "\(kind.rawValue):\($0)" } ?? kind.rawValue
    }

    /// What authorizes the actor to change other users; `nil` for a client.
    package var authority: AdministratorAuthority? {
        switch kind {
        case .client: nil
        case .administrator: .idToken
        case .key, .owner, .login, .console, .server: .key
        }
    }
}
