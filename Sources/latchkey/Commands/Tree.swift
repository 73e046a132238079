extension CommandTree {
    /// Every command of the program.
    static let all = CommandTree(
        discussion: """
            An app signs somebody in at first start without asking for anything. Whenever they like, they give an \
            address, open the link that is mailed to it, and keep their UID and everything under it.
            """,
        sections: [
            ("Signing in", [.guest, .send, .redeem, .whoami, .sessions, .signOut]),
            ("What belongs to a user", [.documents, .username, .merge]),
            ("Running the server", [.serve, .checkConfiguration, .mailbox]),
            (
                "Operating it",
                [.users, .administrators, .cleanup, .assets, .keys, .outbox, .mail, .hooks, .database, .backup]
            ),
            ("Moving users", [.importing, .export]),
        ]
    )
}
