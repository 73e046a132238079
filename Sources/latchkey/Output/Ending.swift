internal import LatchkeyClient
internal import Server

/// The end of the program: the one place where errors become output and an exit status.
struct Ending {
    private let kind: Kind

    private enum Kind {
        case clean(String)
        case failed(Failure, usage: String?)
        case logged(Failure)
    }

    init(_ error: any Error) {
        switch error {
        case let exit as CleanExit:
            kind = .clean(exit.text)
        case let error as UsageError:
            let failure = Failure(error.message, code: "usage", status: 2)
            let help = "Help:  \(error.path?.words ?? "latchkey") --help"
            kind = .failed(failure, usage: Help.usage(of: error.path) + "\n" + help)
        case let failure as Failure:
            kind = .failed(failure, usage: nil)
        case let logged as LoggedFailure:
            kind = .logged(logged.failure)
        case let error as AuthError:
            kind = .failed(Failure(error), usage: nil)
        default:
            kind = .failed(Failure("\(error)", code: "failed"), usage: nil)
        }
    }

    /// The exit status of the process.
    var status: Int32 {
        switch kind {
        case .clean: 0
        case .failed(let failure, _), .logged(let failure): failure.status
        }
    }

    /// Writes the final output: help and version to standard output, failures to standard error.
    func write(to terminal: Terminal, asJSON: Bool) {
        switch kind {
        case .logged: break
        case .clean(let text):
            terminal.output(text)
        case .failed(let failure, _) where asJSON:
            let json = Terminal(output: terminal.error, error: terminal.error)
            try? json.print(
                json: FailureJSON(
                    error: .init(
                        code: failure.code,
                        serverCode: failure.serverCode,
                        message: failure.message,
                        problems: failure.problems
                    )
                )
            )
        case .failed(let failure, let usage):
            let label = terminal.colors.error ? "\u{1B}[1;31mlatchkey:\u{1B}[0m" : "latchkey:"
            let code = failure.serverCode.map { " [\($0)]" } ?? ""
            let message = Terminal.plain(failure.message + code)
            let lines = ["\(label) \(message)"] + [usage].compactMap(\.self) + failure.next.map(Terminal.plain)
            terminal.error(lines.joined(separator: "\n") + "\n")
        }
    }

    private struct FailureJSON: Encodable {
        let error: Details

        struct Details: Encodable {
            let code: String
            let serverCode: String?
            let message: String
            /// The problems of a configuration; absent for other failures.
            let problems: [ConfigurationProblem]?
        }
    }
}
