internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `GET /emulator/v1/projects/{project}/config`: returns the switches for duplicate e-mail addresses and for e-mail
/// privacy (contract, 3.13).
struct ReadEmulatorConfig: ReadingEndpoint {
    let services: Services

    func decode(_ request: Request) throws {}

    func transact(_: Void, in transaction: Transaction) throws -> ProjectConfig {
        try services.flows.projectConfig(in: transaction)
    }

    func render(_ config: ProjectConfig) throws -> Response { config.emulatorResponse }
}

/// `PATCH /emulator/v1/projects/{project}/config`: sets those of the two switches, for duplicate e-mail addresses and
/// e-mail privacy, that the body gives.
struct ChangeEmulatorConfig: WritingEndpoint {
    struct Input: Sendable {
        let allowsDuplicateEmails: Bool?
        let emailPrivacy: Bool?
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try RequestBody(request)
        return Input(
            allowsDuplicateEmails: try body.object("signIn")?.bool("allowDuplicateEmails"),
            emailPrivacy: try body.object("emailPrivacyConfig")?.bool("enableImprovedEmailPrivacy")
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> ProjectConfig {
        var config = try services.flows.projectConfig(in: transaction)
        config.allowsDuplicateEmails = input.allowsDuplicateEmails ?? config.allowsDuplicateEmails
        config.emailPrivacy = input.emailPrivacy ?? config.emailPrivacy
        try services.flows.set(config, in: transaction)
        return config
    }

    func committed(_: ProjectConfig, of call: CallContext) {}

    func render(_ config: ProjectConfig) throws -> Response { config.emulatorResponse }
}

extension ProjectConfig {
    /// The response with the two switches, in the format of the emulator's own call, without blocking functions.
    fileprivate var emulatorResponse: Response {
        var wire = wire
        wire["blockingFunctions"] = nil
        return .json(JSONValue.object(wire).serialized())
    }
}
