package import JSON

/// What administrators may switch while the server runs (contract, 3.12); kept as a setting, for all nodes.
package struct ProjectConfig: Sendable, Equatable {
    /// Whether several users may have the address of one person: then identity providers never match by address, and a user
    /// who comes by one gets no address of their own.
    package var allowsDuplicateEmails = false
    /// Whether nobody may learn if an address has an account (contract, first table).
    package var emailPrivacy: Bool
    /// What development mode was told of blocking functions; nothing calls them.
    package var blockingFunctions = JSONObject()

    /// What holds while nobody has switched anything.
    package init(emailPrivacy: Bool) {
        self.emailPrivacy = emailPrivacy
    }
}

extension AccountFlows {
    /// The setting's name.
    static let projectConfigSetting = "project-config"

    /// The switches as they are before anybody touches them.
    package var standardProjectConfig: ProjectConfig { ProjectConfig(emailPrivacy: policy.emailPrivacy) }

    /// The switches in force.
    package func projectConfig(in store: some AccountStore) throws -> ProjectConfig {
        var config = standardProjectConfig
        guard let text = try store.setting(Self.projectConfigSetting), let stored = try? JSONValue.parse(text) else {
            return config
        }
        if let flag = stored["allowDuplicateEmails"]?.bool { config.allowsDuplicateEmails = flag }
        if let flag = stored["emailPrivacy"]?.bool { config.emailPrivacy = flag }
        if let object = stored["blockingFunctions"]?.object { config.blockingFunctions = object }
        return config
    }

    /// Keeps the switches.
    package func set(_ config: ProjectConfig, in store: some AccountStore) throws {
        guard try config != projectConfig(in: store) else { return }
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("allowDuplicateEmails", config.allowsDuplicateEmails)
        json.member("emailPrivacy", config.emailPrivacy)
        json.member("blockingFunctions", JSONValue.object(config.blockingFunctions))
        json.endObject()
        try store.set(Self.projectConfigSetting, to: String(decoding: json.bytes, as: UTF8.self))
        try store.audit(
            .projectConfigChanged,
            uid: nil,
            detail: "duplicate addresses \(config.allowsDuplicateEmails ? "on" : "off"), "
                + "e-mail privacy \(config.emailPrivacy ? "on" : "off")"
        )
    }
}
