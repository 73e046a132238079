internal import Files

extension Command {
    /// `latchkey completion`: prints a completion script for a shell.
    static let completion = Command(
        name: "completion",
        summary: "Print the completion script of a shell",
        discussion: """
            The Debian package installs both scripts. Otherwise write the output to a file that your shell reads.
            """,
        arguments: [Argument(name: "SHELL", help: "'bash' or 'zsh'.")],
        examples: ["latchkey completion bash"],
        content: .body { invocation in
            guard let shell = Completion(rawValue: try invocation.required("SHELL")) else {
                throw invocation.usage("SHELL must be bash or zsh.")
            }
            invocation.terminal.output(shell.script(for: .all))
        }
    )

    /// `latchkey manual`: writes the manual pages.
    static let manual = Command(
        name: "manual",
        summary: "Write the manual pages to a folder",
        discussion: "The Debian package has them already: man latchkey.",
        arguments: [Argument(name: "FOLDER", help: "The folder, such as /usr/local/share/man/man1.")],
        examples: ["latchkey manual /usr/local/share/man/man1"],
        content: .body { invocation in
            let folder = try invocation.required("FOLDER")
            do throws(FileError) {
                try Folder.make(folder)
                for page in Manual.pages(.all) {
                    var file = try NewFile("\(folder)/\(page.name)")
                    try file.write(Array(page.text.utf8))
                    _ = try file.publish(replacing: true)
                }
            } catch {
                throw Failure("Cannot \(error.step) \(error.path): \(error.reason)", code: "failed")
            }
        }
    )
}
