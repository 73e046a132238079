internal import LatchkeyClient

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Command {
    /// `latchkey sessions`: lists the sessions of the signed-in user, or ends one.
    static let sessions = Command(
        name: "sessions",
        summary: "List and end your sessions",
        discussion: """
            A session is a device or browser where you are signed in. End a session that you do not recognize, or that \
            of a lost device.
            """,
        content: .commands([listSessions, endSession])
    )

    private static let listSessions = Command(
        name: "list",
        summary: "List your sessions, the most recently used first",
        options: Option.client,
        examples: ["latchkey sessions list", "latchkey sessions list --json"],
        content: .body { invocation in
            let sessions = try await ClientSession.auth(invocation).sessions()
            guard !invocation.isJSON else {
                return try invocation.terminal.print(json: ["items": sessions.map(SessionOutput.init)])
            }
            for session in sessions {
                let device = session.device.map { Terminal.plain($0) } ?? "Unknown device"
                invocation.terminal.print(
                    invocation.terminal.strong(device) + (session.isCurrent ? "  (this session)" : ""),
                    "  id         \(Terminal.plain(session.id))",
                    "  created    \(session.creationDate.formatted(.iso8601))",
                    "  last used  \(session.lastUseDate.formatted(.iso8601))"
                )
            }
        }
    )

    private static let endSession = Command(
        name: "end",
        summary: "End a session",
        discussion: """
            The device is signed out at its next request. Ending the current session signs out here. To end a guest's \
            session, use 'latchkey sign-out'.
            """,
        arguments: [Argument(name: "ID", help: "The session's ID from 'latchkey sessions list'.")],
        options: Option.client,
        examples: ["latchkey sessions end 3q2-7wAAAAAAAAAAAAAAAA"],
        content: .body { invocation in
            let id = try invocation.required("ID")
            try await ClientSession.auth(invocation).endSession(id)
            guard !invocation.isJSON else { return try invocation.terminal.print(json: ["ended": id]) }
            invocation.terminal.print("The session has ended.")
        }
    )

    private struct SessionOutput: Encodable {
        let id: String
        let device: String?
        let signInProvider: String
        let createdAt: String
        let lastUsedAt: String
        let current: Bool

        init(_ session: UserSession) {
            id = session.id
            device = session.device
            signInProvider = session.signInProvider
            createdAt = session.creationDate.formatted(.iso8601)
            lastUsedAt = session.lastUseDate.formatted(.iso8601)
            current = session.isCurrent
        }
    }
}
