internal import Server

extension Command {
    /// `latchkey config`: shows the settings.
    static let configuration = Command(
        name: "config",
        summary: "Show the settings in effect",
        content: .commands([showConfiguration])
    )

    private static let showConfiguration = Command(
        name: "show",
        summary: "Show each setting's value and where it comes from",
        discussion: """
            Reads options, environment variables and the file as 'latchkey serve' does. Prints each setting with the \
            value that the server would use and its origin: 'default', the file and line, or the variable, which also \
            stands for an option. Secrets are shown as ********.
            """,
        arguments: [
            Argument(name: "KEY", help: "Only this setting, or those below it, such as 'limits'.", isOptional: true)
        ],
        options: [Option(name: "given", help: "Only settings that are given, without those that have their default.")]
            + Option.serving + [.json],
        examples: [
            "latchkey config show", "latchkey config show limits",
            "latchkey config show --given --config /etc/latchkey.json5",
        ],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let configuration: Configuration
            do {
                configuration = try Configuration.load(
                    file: context.configurationFile,
                    environment: context.settings,
                    secrets: .none
                )
            } catch {
                throw Failure(operating: error)
            }
            let key = invocation[argument: "KEY"]
            let named = configuration.effective.filter { setting in
                key.map { setting.key == $0 || setting.key.hasPrefix("\($0).") } ?? true
            }
            if let key, named.isEmpty {
                throw Failure(
                    "There is no setting \(key).",
                    next: ["Show all: latchkey config show"],
                    code: "no-such-setting"
                )
            }
            let settings = named.filter { !invocation.isOn("given") || !$0.isDefault }
            let width = settings.map(\.key.count).max() ?? 0
            try context.print(
                SettingList(items: settings),
                lines: settings.map { setting in
                    let key = setting.key + String(repeating: " ", count: width - setting.key.count)
                    return Terminal.plain("\(key)  \(setting.value ?? "not set")  (\(setting.origin))")
                }
            )
        }
    )
}

/// The output of `latchkey config show --json`.
private struct SettingList: Encodable {
    let items: [EffectiveSetting]
}
