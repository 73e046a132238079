/// Renders completion scripts for shells from the declared commands.
enum Completion: String, CaseIterable {
    case bash, zsh

    /// Returns the script for this shell.
    func script(for tree: CommandTree) -> String {
        switch self {
        case .bash: Self.bashScript(tree)
        case .zsh: Self.zshScript(tree)
        }
    }

    /// A command path without the program's name, and what may follow it.
    private struct Place {
        let path: String
        let commands: [Command]
        let options: [Option]
    }

    private static let help = Option(name: "help", help: "Show the help of the command.")
    private static let version = Option(name: "version", help: "Show the version.")

    private static func places(_ tree: CommandTree) -> [Place] {
        [Place(path: "", commands: tree.commands, options: [help, version])]
            + tree.paths.map { path in
                Place(
                    path: path.commands.map(\.name).joined(separator: " "),
                    commands: path.command?.subcommands ?? [],
                    options: (path.command?.options ?? [])
                        + (path.command?.subcommands.isEmpty == true ? [Option.quiet] : []) + [help]
                )
            }
    }

    /// The options with a value: a word after one of them is neither a command nor an option.
    ///
    /// An option has the same form in every command that declares it.
    private static func valued(_ tree: CommandTree, files: Bool) -> [String] {
        let options = tree.paths.flatMap { $0.command?.options ?? [] }.filter { option in
            option.value.map { ($0 == "FILE") == files } ?? false
        }
        return Set(options.map { "--\($0.name)" }).sorted()
    }

    private static func bashScript(_ tree: CommandTree) -> String {
        let words = valued(tree, files: false), files = valued(tree, files: true)
        let cases = places(tree).map { place in
            let candidates = place.commands.map(\.name) + place.options.map { "--\($0.name)" }
            return "        '\(place.path)') candidates='\(candidates.joined(separator: " "))' ;;"
        }
        return """
            # Completion of latchkey for bash. Made by: latchkey completion bash
            _latchkey() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
                local place="" skip="" candidates="" word i
                # bash takes "=" for a word of its own.
                [ "$current" = "=" ] && current=""
                [ "$previous" = "=" ] && previous="${COMP_WORDS[COMP_CWORD-2]}"
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word="${COMP_WORDS[i]}"
                    if [ "$word" = "=" ]; then skip=1; continue; fi
                    if [ -n "$skip" ]; then skip=""; continue; fi
                    case "$word" in
                        \((words + files).joined(separator: "|"))) skip=1 ;;
                        -*) ;;
                        *) case "${place:+$place }$word" in
                            \(places(tree).dropFirst().map { "'\($0.path)'" }.joined(separator: "|"))) place="${place:+$place }$word" ;;
                        esac ;;
                    esac
                done
                case "$previous" in
                    \(files.joined(separator: "|"))) COMPREPLY=($(compgen -f -- "$current")); return ;;
                    \(words.joined(separator: "|"))) COMPREPLY=(); return ;;
                esac
                case "$place" in
            \(cases.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$candidates" -- "$current"))
            }
            complete -o default -F _latchkey latchkey

            """
    }

    private static func zshScript(_ tree: CommandTree) -> String {
        let words = valued(tree, files: false), files = valued(tree, files: true)
        func entries(_ pairs: [(String, String)]) -> String {
            pairs.map { name, text in
                let escaped = text.replacing("'", with: "'\\''").replacing(":", with: "\\:")
                return "            '\(name):\(escaped)'"
            }.joined(separator: "\n")
        }
        let cases = places(tree).map { place in
            """
                    '\(place.path)')
                        subcommands=(
            \(entries(place.commands.map { ($0.name, $0.summary) }))
                        )
                        switches=(
            \(entries(place.options.map { ("--\($0.name)", firstSentence($0.help)) }))
                        ) ;;
            """
        }
        return """
            #compdef latchkey
            # Completion of latchkey for zsh. Made by: latchkey completion zsh
            _latchkey() {
                local place="" skip="" word
                local -a subcommands switches
                for word in "${(@)words[2,CURRENT-1]}"; do
                    if [[ -n $skip ]]; then skip=""; continue; fi
                    case "$word" in
                        \((words + files).joined(separator: "|"))) skip=1 ;;
                        -*) ;;
                        *) case "${place:+$place }$word" in
                            \(places(tree).dropFirst().map { "'\($0.path)'" }.joined(separator: "|"))) place="${place:+$place }$word" ;;
                        esac ;;
                    esac
                done
                case "${words[CURRENT-1]}" in
                    \(files.joined(separator: "|"))) _files; return ;;
                    \(words.joined(separator: "|"))) return 0 ;;
                esac
                case "$place" in
            \(cases.joined(separator: "\n"))
                esac
                if [[ "${words[CURRENT]}" == -* ]]; then
                    _describe -o option switches
                elif (( $#subcommands )); then
                    _describe command subcommands
                else
                    _files
                fi
            }
            if [ "$funcstack[1]" = "_latchkey" ]; then _latchkey "$@"; else compdef _latchkey latchkey; fi

            """
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text.hasSuffix(".") ? String(text.dropLast()) : text }
        return String(text[..<end.lowerBound])
    }
}
