internal import Server

extension Command {
    /// `latchkey export`: writes all users to a file in Firebase's format.
    static let export = Command(
        name: "export",
        summary: "Export all users in Firebase's format",
        discussion: """
            The file is JSON as 'firebase auth:export' writes it, so 'latchkey import firebase' and 'firebase \
            auth:import' can read it. It contains UIDs, addresses, names, identity providers, claims and times, and no \
            other data of the users. To copy everything, use 'latchkey backup'.
            """,
        arguments: [Argument(name: "FILE", help: "The file to create, with mode 0600; '-' is standard output.")],
        options: [Option(name: "force", help: "Replace FILE if it exists.")] + Option.changing + [.json],
        examples: ["latchkey export users.json"],
        content: .body { invocation in
            let path = try invocation.required("FILE")
            if path == "-", invocation.isJSON {
                throw invocation.usage("--json needs a FILE, because '-' prints the export itself.")
            }
            let context = OperatorContext(invocation)
            var file = try LargeOutput(path, replacing: invocation.isOn("force"))
            var line = TransferLine(context, size: nil)
            let count = try operating(context) { op in
                try op.exportUsers(write: { try file.write($0) }, progress: { line.show($0) })
            }
            try file.finish()
            line.clear()
            // Standard output is the file itself.
            guard path != "-" else { return }
            try context.print(
                ExportReport(file: path, users: count),
                lines: ["Wrote \(count == 1 ? "1 user" : "\(count) users") to \(path)."]
            )
        }
    )
}

/// The output of `latchkey export --json`.
private struct ExportReport: Encodable {
    let file: String
    let users: Int
}
