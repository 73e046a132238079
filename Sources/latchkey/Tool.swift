#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The program, from its arguments to its exit status.
enum Tool {
    /// What `--version` prints.
    static let version = "0.1.0"

    /// Finds the command, runs it, and turns however it ends into text and a status.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - commands: All that there are.
    ///   - environment: Variables.
    ///   - terminal: Where to write.
    /// - Returns: 0 done, 1 refused, 2 wrong usage, 3 cannot reach.
    static func run(
        _ arguments: [String],
        commands: CommandTree,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        terminal: Terminal = .standard()
    ) async -> Int32 {
        do {
            let parsed = try Parser(commands: commands, environment: environment, terminal: terminal).parse(arguments)
            try await parsed.body(parsed.invocation)
            return 0
        } catch {
            let ending = Ending(error)
            // A script that asked for JSON gets its failures in it too; the request may not even have been parsed.
            ending.write(to: terminal, asJSON: arguments.prefix { $0 != "--" }.contains("--json"))
            return ending.status
        }
    }
}
