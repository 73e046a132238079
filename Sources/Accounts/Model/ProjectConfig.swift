package import JSON

/// The switches that administrators may change while the server runs (contract, 3.12); stored as a setting for all
/// nodes.
package struct ProjectConfig: Sendable, Equatable {
    /// Whether several users may have identities with the same address.
    ///
    /// If so, identity providers never match by address, and a user created by a provider gets no address of their own.
    package var allowsDuplicateEmails = false
    /// Whether the API hides whether an address has an account (contract, 3.2 and 3.7).
    ///
    /// This is ``Policy/emailPrivacy`` until an administrator changes it.
    package var emailPrivacy: Bool
    /// The blocking functions that were configured in development mode; they are never called.
    package var blockingFunctions = JSONObject()

    /// Sections of Firebase's configuration that were set in development mode; nothing obeys them.
    package var unobeyed = JSONObject()

    /// Makes the initial switches.
    package init(emailPrivacy: Bool) {
        self.emailPrivacy = emailPrivacy
    }
}

extension AccountFlows {
    /// The name of the setting that stores the switches.
    static let projectConfigSetting = "project-config"

    /// The switches while none have been stored: those of the configuration.
    package var standardProjectConfig: ProjectConfig { ProjectConfig(emailPrivacy: policy.emailPrivacy) }

    /// Returns the switches in force: those that an administrator stored, and the configuration's for the others.
    package func projectConfig(in store: some AccountStore) throws -> ProjectConfig {
        var config = standardProjectConfig
        guard let text = try store.setting(Self.projectConfigSetting), let stored = try? JSONValue.parse(text) else {
            return config
        }
        if let flag = stored["allowDuplicateEmails"]?.bool { config.allowsDuplicateEmails = flag }
        if let flag = stored["emailPrivacy"]?.bool { config.emailPrivacy = flag }
        if let object = stored["blockingFunctions"]?.object { config.blockingFunctions = object }
        if let object = stored["unobeyed"]?.object { config.unobeyed = object }
        return config
    }

    /// Stores the switches and records the change in the audit log; does nothing if they are in force already.
    package func set(_ config: ProjectConfig, in store: some AccountStore) throws {
        guard try config != projectConfig(in: store) else { return }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("allowDuplicateEmails", config.allowsDuplicateEmails)
        json.member("emailPrivacy", config.emailPrivacy)
        json.member("blockingFunctions", JSONValue.object(config.blockingFunctions))
        if !config.unobeyed.isEmpty { json.member("unobeyed", JSONValue.object(config.unobeyed)) }
        json.endObject()
        try store.set(Self.projectConfigSetting, to: String(decoding: json.bytes, as: UTF8.self))
        try audit(
            .projectConfigChanged,
            detail: "duplicate addresses \(config.allowsDuplicateEmails ? "on" : "off"), "
                + "e-mail privacy \(config.emailPrivacy ? "on" : "off")",
            in: store
        )
    }
}
