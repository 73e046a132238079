extension Command {
    /// What `latchkey export` is told.
    struct ExportArguments: Sendable {
        /// A path, or `-` for standard output.
        let file: String
        /// Whether an existing file is replaced.
        let isForced: Bool
    }

    /// `latchkey export`: writes all users down.
    static func export(_ body: @escaping OperatorBody<ExportArguments>) -> Command {
        Command(
            name: "export",
            summary: "Write all users down, as Firebase's tools do",
            discussion: """
                The file is JSON as 'firebase auth:export' writes it, so 'latchkey import firebase' and 'firebase \
                auth:import' read it. It holds UIDs, addresses, names, identity providers, claims and times, and \
                nothing else that belongs to users: for a copy of everything see 'latchkey backup'.
                """,
            arguments: [Argument(name: "FILE", help: "The file to make, with mode 0600; '-' is standard output.")],
            options: [Option(name: "force", help: "Replace FILE when it exists.")] + Option.operating + [.json],
            examples: ["latchkey export users.json"],
            content: .body { invocation in
                let file = try invocation.required("FILE")
                if file == "-", invocation.isJSON {
                    throw invocation.usage("--json goes with a FILE, since '-' is the export itself.")
                }
                let arguments = ExportArguments(file: file, isForced: invocation.isOn("force"))
                try await body(arguments, OperatorContext(invocation))
            }
        )
    }
}
