package import Accounts
internal import FoundationEssentials
internal import Network

/// A hook: a URL of the operator's that receives events about users, and may be asked before a merge.
package struct HookConfiguration: Sendable {
    package let name: String
    package let url: String
    /// The keys that sign messages, newest first.
    package let secrets: [HookSecret]
    package let events: Set<HookEvent>

    var subscription: HookSubscription { HookSubscription(hook: name, events: events) }
}

/// A key that signs messages to a hook: `whsec_` and base64 of 24 to 64 bytes, as in Standard Webhooks.
package struct HookSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    init?(_ text: some StringProtocol) {
        guard text.hasPrefix("whsec_"), let data = Data(base64Encoded: String(text.dropFirst(6))),
            (24...64).contains(data.count)
        else { return nil }
        bytes = [UInt8](data)
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The retry schedule of messages that a hook did not accept, in milliseconds.
package struct HookRetry: Sendable, Equatable {
    /// The wait before the first retry.
    ///
    /// The wait doubles with each retry.
    package var first: Int64
    /// The longest wait.
    package var longest: Int64
    /// How long after an event its message is still sent.
    package var life: Int64
    /// How long no other server may take over the messages and merges that a server is working on.
    ///
    /// For messages, the server can renew this lease. For merges, it lasts at least ten seconds.
    package var lease: Int64
}

extension Configuration {
    /// Reads the setting `hooks`.
    ///
    /// The secret of each hook is in the setting, in a file, or in the variable `LATCHKEY_HOOK_SECRETS_<NAME>`.
    static func hooks(_ settings: inout Settings, isDevelopment: Bool) -> [HookConfiguration] {
        var hooks: [HookConfiguration] = []
        for members in settings.objects("hooks") {
            guard let hook = hook(members, &settings, isDevelopment: isDevelopment) else { continue }
            guard !hooks.contains(where: { $0.name == hook.name }) else {
                settings.refuse("hooks", "two hooks are called \(hook.name)")
                continue
            }
            hooks.append(hook)
        }
        return hooks
    }

    private static func hook(
        _ members: [String: SettingValue],
        _ settings: inout Settings,
        isDevelopment: Bool
    ) -> HookConfiguration? {
        guard case .string(let name)? = members["name"], case .string(let url)? = members["url"],
            case .list(let values)? = members["events"],
            Set(members.keys).isSubset(of: ["name", "url", "events", "secret", "secretFile"]), isName(name)
        else {
            settings.refuse(
                "hooks",
                "each needs name (lower-case letters, digits and _), url and events (a list), may have secret or secretFile, "
                    + "and nothing else"
            )
            return nil
        }
        guard let scheme = Origin.parse(url)?.origin.scheme, scheme == "https" || isDevelopment, !url.contains("#")
        else {
            settings.refuse(
                "hooks",
                "\(name): url must be an absolute https URL without user and fragment"
                    + (isDevelopment ? "; development mode also accepts http" : "")
            )
            return nil
        }
        let events = values.compactMap { if case .string(let text) = $0 { HookEvent(rawValue: text) } else { nil } }
        guard !events.isEmpty, events.count == values.count, events.allSatisfy(HookEvent.subscribable.contains) else {
            let choices = HookEvent.subscribable.map(\.rawValue).joined(separator: ", ")
            settings.refuse("hooks", "\(name): events must be some of \(choices)")
            return nil
        }
        guard let secrets = secrets(of: name, members, &settings) else { return nil }
        return HookConfiguration(name: name, url: url, secrets: secrets, events: Set(events))
    }

    private static func secrets(
        of name: String,
        _ members: [String: SettingValue],
        _ settings: inout Settings
    ) -> [HookSecret]? {
        let key = "hookSecrets.\(name)"
        for (member, setting) in [("secret", key), ("secretFile", "\(key)File")] {
            if case .string(let text)? = members[member] {
                settings.suggest(setting, text, origin: SettingOrigin(key: "hooks: \(name)"))
            }
        }
        // A command that calls no hook still records events for it.
        guard settings.reads(key) else { return [] }
        guard let text = settings.secret(key) else {
            if !settings.excusedSecrets.contains(key) {
                settings.refuse(
                    "hooks",
                    "\(name): needs a secret, in secretFile or \(SettingName.variable(of: key)); make one with: "
                        + "echo whsec_$(openssl rand -base64 32)"
                )
            }
            return nil
        }
        let secrets = text.split { $0 == "," || $0.isWhitespace }.map { HookSecret($0) }
        guard !secrets.isEmpty, secrets.allSatisfy({ $0 != nil }) else {
            settings.refuse(
                key,
                "must be whsec_ and base64 of 24 to 64 bytes; separate several with commas, the newest first"
            )
            return nil
        }
        return secrets.compactMap(\.self)
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 32 else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        return isLetter(first)
            && name.utf8.allSatisfy {
                isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    /// Records problems with entries of `hooksAllowPrivate` that are no addresses or ranges, and with hooks whose URL
    /// has an IP address that ``hookGate`` does not allow.
    func checkHooks(_ settings: inout Settings) {
        for text in hooksAllowPrivate where AddressRange(text) == nil {
            settings.refuse("hooksAllowPrivate", "\(text) is not an address or range; write it like 10.0.0.0/8")
        }
        for hook in hooks {
            guard let host = Origin.parse(hook.url)?.origin.host,
                let address = IPAddress(host.filter { $0 != "[" && $0 != "]" }), !hookGate.allows(address)
            else { continue }
            settings.refuse(
                "hooks",
                "\(hook.name): \(address) is not a public address; to allow it, add it to hooksAllowPrivate"
            )
        }
    }

    /// The addresses that hooks may have: in development all, otherwise public ones and those that the setting
    /// `hooksAllowPrivate` lists.
    var hookGate: AddressGate {
        mode == .development ? .open : .publicOnly(allowing: hooksAllowPrivate.compactMap { AddressRange($0) })
    }
}
