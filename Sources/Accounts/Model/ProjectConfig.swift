internal import JSON

/// What administrators may switch while the server runs (contract, 3.12); kept as a setting, for all nodes.
package struct ProjectConfig: Sendable, Equatable {
    /// Whether several users may have the address of one person: then identity providers never match by address, and a user
    /// who comes by one gets no address of their own.
    package var allowsDuplicateEmails = false
    /// Whether nobody may learn if an address has an account (contract, first table).
    package var emailPrivacy: Bool

    /// What holds while nobody has switched anything.
    package init(emailPrivacy: Bool) {
        self.emailPrivacy = emailPrivacy
    }
}

extension AccountFlows {
    /// The setting's name.
    static let projectConfigSetting = "project-config"

    /// The switches in force.
    package func projectConfig(in store: some AccountStore) throws -> ProjectConfig {
        var config = ProjectConfig(emailPrivacy: policy.emailPrivacy)
        guard let text = try store.setting(Self.projectConfigSetting), let stored = try? JSONValue.parse(text) else {
            return config
        }
        if let flag = stored["allowDuplicateEmails"]?.bool { config.allowsDuplicateEmails = flag }
        if let flag = stored["emailPrivacy"]?.bool { config.emailPrivacy = flag }
        return config
    }

    /// Keeps the switches.
    package func set(_ config: ProjectConfig, in store: some AccountStore) throws {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("allowDuplicateEmails", config.allowsDuplicateEmails)
        json.member("emailPrivacy", config.emailPrivacy)
        json.endObject()
        try store.set(Self.projectConfigSetting, to: String(decoding: json.bytes, as: UTF8.self))
    }
}
