/// All commands of the program, in the sections of its help.
struct CommandTree: Sendable {
    /// Below the program's name in its help.
    let discussion: String
    /// Titles and their commands.
    let sections: [(title: String, commands: [Command])]

    /// All commands of the first level.
    var commands: [Command] { sections.flatMap(\.commands) }

    /// Every command that can be named, groups included, with the words that name it.
    var paths: [CommandPath] {
        commands.flatMap { command in
            [CommandPath(commands: [command])] + command.subcommands.map { CommandPath(commands: [command, $0]) }
        }
    }
}

/// A command with the groups above it: `keys rotate`.
struct CommandPath: Sendable {
    /// From the outermost inwards; never empty.
    let commands: [Command]

    /// The words, `latchkey` included.
    var words: String { (["latchkey"] + commands.map(\.name)).joined(separator: " ") }

    /// The command itself.
    var command: Command? { commands.last }

    func appending(_ command: Command) -> Self {
        Self(commands: commands + [command])
    }

    /// The path itself, or to the `list` below it: `latchkey outbox` is `latchkey outbox list`.
    var completed: Self {
        command?.subcommands.first { $0.name == "list" }.map(appending) ?? self
    }
}
