import Server
import Synchronization
import Testing

@testable import latchkey

@Suite("Command line") struct ParserTests {
    /// Makes commands that record their invocation.
    static func tree(_ called: Called) -> CommandTree {
        let body: Command.Body = { invocation in
            called.invocation.withLock { $0 = invocation }
        }
        let options = [
            Option(name: "server", value: "URL", help: "The server.", environment: "TEST_URL"),
            Option(name: "wait", help: "Wait."),
        ]
        let send = Command(
            name: "send",
            summary: "Send",
            arguments: [Argument(name: "EMAIL", help: "Where to.")],
            options: options,
            content: .body(body)
        )
        let show = Command(
            name: "show",
            summary: "Show",
            arguments: [Argument(name: "ID", help: "Which.", isOptional: true)],
            options: [Option(name: "json", help: "JSON.")],
            content: .body(body)
        )
        let rotate = Command(name: "rotate", summary: "Rotate", content: .body(body))
        let keys = Command(name: "keys", summary: "Keys", content: .commands([rotate]))
        return CommandTree(discussion: "For tests.", sections: [("Commands", [send, show, keys])])
    }

    final class Called: Sendable {
        let invocation = Mutex<Invocation?>(nil)
    }

    struct Outcome {
        let status: Int32
        let output: String
        let error: String
        let invocation: Invocation?
    }

    static func run(_ words: [String], environment: [String: String] = [:]) async -> Outcome {
        let called = Called()
        let texts = Recorder()
        let status = await Tool.run(words, commands: tree(called), environment: environment, terminal: texts.terminal)
        return Outcome(
            status: status,
            output: texts.output,
            error: texts.error,
            invocation: called.invocation.withLock { $0 }
        )
    }

    @Test(
        arguments: [
            ["send", "a@b.c", "--server", "http://x", "--wait"],
            ["--server", "http://x", "send", "--wait", "a@b.c"],
            ["--wait", "--server=http://x", "send", "a@b.c"],
            ["send", "--server=http://x", "--wait", "--", "a@b.c"],
        ]
    )
    func `options stand where one likes`(words: [String]) async {
        let result = await Self.run(words)
        #expect(result.status == 0)
        #expect(result.invocation?[argument: "EMAIL"] == "a@b.c")
        #expect(result.invocation?.value("server") == "http://x")
        #expect(result.invocation?.isOn("wait") == true)
    }

    @Test func `what follows two dashes is an argument`() async {
        let result = await Self.run(["send", "--", "--wait"])
        #expect(result.invocation?[argument: "EMAIL"] == "--wait")
        #expect(result.invocation?.isOn("wait") == false)
    }

    @Test func `a variable stands in for an option, unless it is empty`() async {
        let variable = await Self.run(["send", "a"], environment: ["TEST_URL": "http://v"])
        #expect(variable.invocation?.value("server") == "http://v")
        let both = await Self.run(["send", "a", "--server", "http://o"], environment: ["TEST_URL": "http://v"])
        #expect(both.invocation?.value("server") == "http://o")
        let empty = await Self.run(["send", "a"], environment: ["TEST_URL": ""])
        #expect(empty.invocation?.value("server") == nil)
    }

    @Test func `an argument may be optional`() async {
        let none = await Self.run(["show"])
        #expect(none.status == 0)
        #expect(none.invocation?[argument: "ID"] == nil)
        let one = await Self.run(["show", "7"])
        #expect(one.invocation?[argument: "ID"] == "7")
    }

    @Test(
        arguments: [
            (["sned", "a"], "There is no command 'sned'. Did you mean 'send'?"),
            (["whatever"], "There is no command 'whatever'."),
            (["key", "rotate"], "There is no command 'key'. Did you mean 'keys'?"),
            (["keys", "rotat"], "keys has no command 'rotat'. Did you mean 'rotate'?"),
            (["keys"], "keys needs one of 'rotate'."),
            (["send"], "EMAIL is missing."),
            (["send", ""], "EMAIL is empty."),
            (["send", "a", "b"], "Unexpected argument 'b'."),
            (["send", "a", "--wiat"], "send has no option --wiat. Did you mean --wait?"),
            (["send", "a", "--zzz"], "send has no option --zzz."),
            (["send", "a", "--servre", "http://x"], "send has no option --servre. Did you mean --server?"),
            (["send", "a", "--wait=yes"], "--wait takes no value."),
            (["send", "a", "--wait", "--wait"], "--wait is given twice."),
            (["send", "a", "--server"], "--server needs a value: --server URL."),
            (["send", "a", "--server", "--wait"], "--server needs a value: --server URL."),
            (["send", "a", "--server="], "--server needs a value."),
            (["send", "a", "-x"], "There is no option -x."),
            (["show", "--server", "http://x"], "show has no option --server."),
            (["--wait"], "A command is missing."),
            (["--zzz"], "There is no option --zzz."),
            (["help", "sned"], "There is no command 'sned'. Did you mean 'send'?"),
        ]
    )
    func `a mistake is named, with help, and ends with status 2`(words: [String], message: String) async {
        let result = await Self.run(words)
        #expect(result.status == 2)
        #expect(result.invocation == nil)
        #expect(result.output.isEmpty)
        let lines = result.error.split(separator: "\n")
        #expect(lines.first.map(String.init) == "latchkey: " + message)
        #expect(lines.dropFirst().first?.hasPrefix("Usage: latchkey") == true)
        #expect(lines.last?.hasPrefix("Help:  latchkey") == true)
    }

    @Test(arguments: [
        ["send", "--help"], ["send", "-h"], ["help", "send"], ["send", "--zzz", "--help"], ["-h", "send"],
    ])
    func `help wins`(words: [String]) async {
        let result = await Self.run(words)
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        #expect(result.output.hasPrefix("Send.\n\nUsage: latchkey send EMAIL [OPTIONS]\n"))
    }

    @Test(arguments: [[], ["--help"], ["-h"], ["help"]])
    func `without a command there is the help of the program`(words: [String]) async {
        let result = await Self.run(words)
        #expect(result.status == 0)
        #expect(result.output.contains("\nCommands:\n"))
    }

    @Test func `the version is one line`() async {
        let result = await Self.run(["--version"])
        #expect(result.output == "latchkey \(Tool.version)\n")
    }

    @Test func `with --json, failures are JSON too`() async {
        let result = await Self.run(["show", "--json", "1", "2"])
        #expect(result.status == 2)
        #expect(result.error == #"{"error":{"code":"usage","message":"Unexpected argument '2'."}}"# + "\n")
    }

    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("send", "send", 0), ("sned", "send", 1), ("sedn", "send", 1),
            ("guest", "gest", 1), ("kitten", "sitting", 3),
        ]
    )
    func `the distance of two words counts slips`(first: String, second: String, expected: Int) {
        #expect(Suggestion.distance(first, second) == expected)
    }

    @Test func `a number has its range`() throws {
        let invocation = Invocation(
            path: CommandPath(commands: [.send]),
            arguments: [:],
            options: ["timeout": "0"],
            environment: [:],
            terminal: Recorder().terminal
        )
        #expect(throws: UsageError.self) { try invocation.number("timeout", in: 1...10) }
        #expect(try invocation.number("timeout", in: 0...10) == 0)
        #expect(try invocation.number("absent", in: 0...10) == nil)
    }
}

/// Records what is written.
final class Recorder: Sendable {
    private let texts = Mutex((output: "", error: ""))

    var output: String { texts.withLock { $0.output } }
    var error: String { texts.withLock { $0.error } }

    var terminal: Terminal {
        Terminal(
            output: { text in self.texts.withLock { $0.output += text } },
            error: { text in self.texts.withLock { $0.error += text } }
        )
    }
}
