extension Command {
    /// What `latchkey keys rotate` is told.
    struct RotateArguments: Sendable {
        /// `ES256`, `EdDSA` or `RS256`; `nil` for the configured one.
        let algorithm: String?
    }

    /// `latchkey keys`.
    ///
    /// - Parameters:
    ///   - list: Shows the signing keys.
    ///   - rotate: Makes a new signing key.
    ///   - reseal: Seals everything under the newest secret.
    /// - Returns: The group of commands.
    static func keys(
        list: @escaping OperatorBody<Void>,
        rotate: @escaping OperatorBody<RotateArguments>,
        reseal: @escaping OperatorBody<Void>
    ) -> Command {
        Command(
            name: "keys",
            summary: "Show, rotate and reseal the signing keys",
            content: .commands([listKeys(list), rotateKeys(rotate), resealKeys(reseal)])
        )
    }

    private static func listKeys(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "list",
            summary: "Show the signing keys and their states",
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }

    private static func rotateKeys(_ body: @escaping OperatorBody<RotateArguments>) -> Command {
        Command(
            name: "rotate",
            summary: "Make a new signing key",
            discussion: """
                The new key is published first and signs once everybody had time to fetch it; the old one stays \
                published until its last token has ended. Running servers notice within seconds.
                """,
            options: [
                Option(
                    name: "algorithm",
                    value: "NAME",
                    help: "ES256, EdDSA or RS256; the configured one by default."
                )
            ] + Option.operating + [.json],
            examples: ["latchkey keys rotate", "latchkey keys rotate --algorithm EdDSA"],
            content: .body { invocation in
                let algorithm = invocation.value("algorithm")
                guard algorithm == nil || ["ES256", "EdDSA", "RS256"].contains(algorithm) else {
                    throw invocation.usage("--algorithm is one of ES256, EdDSA, RS256.")
                }
                try await body(RotateArguments(algorithm: algorithm), OperatorContext(invocation))
            }
        )
    }

    private static func resealKeys(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "reseal",
            summary: "Seal everything under the newest secret",
            discussion: """
                To change the server's secret: put the new one in front of the old one in LATCHKEY_SECRET, restart, \
                run this until it says that nothing stored needs an older one any more, and drop the old one when the \
                devices had time to come back: a device whose last refresh was under the old secret is signed out when \
                that goes, and a guest on it is lost.
                """,
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
