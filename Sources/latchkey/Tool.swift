internal import LatchkeyClient
internal import Server

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The program, from its arguments to its exit status.
enum Tool {
    /// What `--version` prints.
    static let version = Version.current

    /// Finds the command, runs it, and turns its end into output and an exit status.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the program's name.
    ///   - commands: all commands.
    ///   - environment: the environment variables.
    ///   - terminal: the output streams.
    /// - Returns: the exit status: 0 for success, 1 for a failure, 2 for wrong usage or a configuration that cannot be
    ///   used, 3 for an unreachable server or database.
    static func run(
        _ arguments: [String],
        commands: CommandTree,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        terminal: Terminal = .standard()
    ) async -> Int32 {
        do {
            let parsed = try Parser(commands: commands, environment: environment, terminal: terminal).parse(arguments)
            do {
                try await parsed.body(parsed.invocation)
            } catch let error as AuthError where error.code == .noCurrentUser {
                throw ClientSession.notSignedIn(error, parsed.invocation)
            }
            return 0
        } catch {
            let ending = Ending(error)
            // A script that asked for JSON gets failures in JSON too, even if the command line could not be parsed.
            ending.write(to: terminal, asJSON: arguments.prefix { $0 != "--" }.contains("--json"))
            return ending.status
        }
    }
}
