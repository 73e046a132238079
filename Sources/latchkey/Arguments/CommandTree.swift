/// All commands of the program, in the sections of its help.
struct CommandTree: Sendable {
    /// The text below the program's name in its help.
    let discussion: String
    /// The titles of the sections with their commands.
    let sections: [(title: String, commands: [Command])]

    /// All top-level commands.
    var commands: [Command] { sections.flatMap(\.commands) }

    /// The paths of all commands, including groups.
    var paths: [CommandPath] {
        commands.flatMap { command in
            [CommandPath(commands: [command])] + command.subcommands.map { CommandPath(commands: [command, $0]) }
        }
    }
}

/// A command with its groups: `keys rotate`.
struct CommandPath: Sendable {
    /// The commands from the outermost group inwards; never empty.
    let commands: [Command]

    /// The words, including `latchkey`.
    var words: String { (["latchkey"] + commands.map(\.name)).joined(separator: " ") }

    /// The command itself, the last of ``commands``.
    var command: Command? { commands.last }

    func appending(_ command: Command) -> Self {
        Self(commands: commands + [command])
    }

    /// The path itself, or the path to its `list` subcommand: `latchkey outbox` is `latchkey outbox list`.
    var completed: Self {
        command?.subcommands.first { $0.name == "list" }.map(appending) ?? self
    }
}
