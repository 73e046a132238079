extension CommandTree {
    /// Every command of the program.
    static let all: CommandTree = CommandTree(
        discussion: """
            An app signs its users in as guests at first start, without asking for anything. Later a guest gives an \
            e-mail address, opens the link in the e-mail, and keeps the UID and all data.
            """,
        sections: [
            ("Signing in", [.guest, .send, .redeem, .whoami, .sessions, .signOut]),
            ("User data", [.documents, .username, .merge]),
            ("Running the server", [.serve, .checkConfiguration, .doctor, .preview, .mailbox, .sdk]),
            (
                "Operating the server",
                [
                    .console, .users, .administrators, .audit, .cleanup, .assets, .keys, .outbox, .mail, .hooks,
                    .database, .backup,
                    .restore,
                ]
            ),
            ("Moving users", [.importing, .export]),
            ("Setting up a shell", [.completion, .manual]),
        ]
    )
}
