internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// Adds the calls that read and change the project's configuration (``ProjectConfig``), for administrators
    /// (contract, 3.12).
    func addProjectConfig(to router: inout Router) {
        for prefix in Self.identityToolkitPrefixes {
            let path = "\(prefix)/v2/projects/{project}/config"
            router.add(.get, path, cors: true, guarded(handler(ReadProjectConfig(services: self))))
            router.add(.patch, path, cors: true, guarded(handler(ChangeProjectConfig(services: self))))
        }
    }
}

/// `GET /v2/projects/{project}/config`: returns the project's configuration (``ProjectConfig``).
struct ReadProjectConfig: ReadingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> String {
        try services.checkAdministrator(call, changing: false)
        return call.request.parameters["project"] ?? ""
    }

    func transact(_ project: String, in transaction: Transaction) throws -> NamedProjectConfig {
        NamedProjectConfig(project: project, config: try services.flows.projectConfig(in: transaction))
    }

    func render(_ named: NamedProjectConfig) throws -> Response { named.response }
}

/// The project's configuration and the name that the caller gives the project, which in development may be any.
struct NamedProjectConfig: Sendable {
    let project: String
    let config: ProjectConfig

    /// The response to a read and a change; Node's Admin SDK requires the name.
    var response: Response {
        var wire = JSONObject()
        wire.append("name", .string("projects/\(project)/config"))
        for (name, value) in config.wire.members { wire[name] = value }
        return .json(JSONValue.object(wire).serialized())
    }
}

/// `PATCH /v2/projects/{project}/config`: changes the members of the project's configuration that `updateMask` names.
///
/// Without a mask, sets all members: those that the body lacks to their standard values.
struct ChangeProjectConfig: WritingEndpoint {
    struct Input: Sendable {
        let project: String
        let update: JSONObject
        /// The paths of the members to set, such as `signIn.allowDuplicateEmails`, of which the first 100 count; `nil`
        /// for all members, if `updateMask` is missing or empty.
        let mask: [String]?
        let actor: AuditActor
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let (body, actor) = try services.administratorsCall(of: call, changing: true)
        let mask = call.request.queryValue("updateMask").flatMap { $0.isEmpty ? nil : $0 }
        let paths = mask.map { $0.split(separator: ",").prefix(100).map(String.init) }
        try judge(ProjectConfigSections.unobeyed(in: body, named: paths))
        return Input(
            project: call.request.parameters["project"] ?? "",
            update: try update(body),
            mask: paths,
            actor: actor
        )
    }

    /// Refuses settings that the server does not obey; in development, logs each of them once and keeps it, as
    /// Firebase's emulator does.
    private func judge(_ unobeyed: [String]) throws {
        guard let first = unobeyed.first else { return }
        guard services.configuration.mode == .development else {
            throw RequestError.notImplemented(
                "Nothing here obeys \(first.prefix(100)); this call changes signIn.allowDuplicateEmails and "
                    + "emailPrivacyConfig.enableImprovedEmailPrivacy."
            )
        }
        for path in unobeyed {
            services.once(
                "project.unobeyed",
                of: path,
                ("setting", .string(String(path.prefix(100)))),
                ("detail", "The setting is stored, and nothing obeys it. Production answers 501.")
            )
        }
    }

    /// Reads the configuration in the body.
    ///
    /// The result has the format of responses, and lacks members that are not given.
    private func update(_ body: RequestBody) throws -> JSONObject {
        var update = ProjectConfigSections.others(of: body)
        guard JSONValue.object(update).serialized().count <= 16_384 else {
            throw RequestError.schema("the sections must NOT have more than 16384 bytes")
        }
        update["signIn"] = try flag("allowDuplicateEmails", in: body.object("signIn"))
        update["blockingFunctions"] = try blockingFunctions(body).map { .object($0) }
        update["emailPrivacyConfig"] = try flag("enableImprovedEmailPrivacy", in: body.object("emailPrivacyConfig"))
        return update
    }

    private func flag(_ name: String, in body: RequestBody?) throws -> JSONValue? {
        guard let body else { return nil }
        var object = JSONObject()
        object[name] = try body.bool(name).map { .bool($0) }
        return .object(object)
    }

    /// Checks that the blocking functions in the body are well-formed, and returns them unchanged; `nil` without any.
    ///
    /// The server never calls blocking functions, so in production it refuses them: an operator who sets one relies on
    /// it.
    private func blockingFunctions(_ body: RequestBody) throws -> JSONObject? {
        guard let functions = try body.object("blockingFunctions") else { return nil }
        guard JSONValue.object(functions.object).serialized().count <= 16_384 else {
            throw RequestError.schema("/blockingFunctions must NOT have more than 16384 bytes")
        }
        let triggers = try functions.object("triggers")
        for (event, _) in triggers?.object.members ?? [] {
            guard ["beforeCreate", "beforeSignIn"].contains(event) else {
                throw Refusal(.invalidBlockingFunction, detail: "(Event type is invalid.)")
            }
            guard let uri = try triggers?.object(event)?.string("functionUri"), uri.isAbsoluteURL else {
                throw Refusal(
                    .invalidBlockingFunction,
                    detail: "(Expected an absolute URI with valid scheme and host.)"
                )
            }
        }
        guard services.configuration.mode == .development || triggers?.object.isEmpty ?? true else {
            throw RequestError.notImplemented(
                "Latchkey calls no blocking functions; use hooks instead (docs/hooks.md)."
            )
        }
        return functions.object
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> NamedProjectConfig {
        let flows = services.flows.acting(as: input.actor)
        var wire: JSONObject
        if let mask = input.mask {
            wire = try flows.projectConfig(in: transaction).wire
            for path in mask {
                wire.take(path.split(separator: ".", omittingEmptySubsequences: false)[...], of: input.update)
            }
        } else {
            wire = flows.standardProjectConfig.wire
            for (name, value) in input.update.members { wire[name] = value }
        }
        let config = ProjectConfig(wire: wire, standard: flows.standardProjectConfig)
        try flows.set(config, in: transaction)
        return NamedProjectConfig(project: input.project, config: config)
    }

    func committed(_ named: NamedProjectConfig, of call: CallContext) {
        let config = named.config
        services.logger(
            "project.changed",
            ("allowDuplicateEmails", .bool(config.allowsDuplicateEmails)),
            ("emailPrivacy", .bool(config.emailPrivacy))
        )
    }

    func render(_ named: NamedProjectConfig) throws -> Response { named.response }
}

extension ProjectConfig {
    /// The configuration as JSON, in the format of responses.
    var wire: JSONObject {
        var wire = JSONObject()
        wire.append("signIn", ["allowDuplicateEmails": .bool(allowsDuplicateEmails)])
        wire.append("blockingFunctions", .object(blockingFunctions))
        wire.append("emailPrivacyConfig", ["enableImprovedEmailPrivacy": .bool(emailPrivacy)])
        for (name, value) in unobeyed.members { wire[name] = value }
        return wire
    }

    /// Reads a configuration from JSON.
    ///
    /// Members that are missing or of another type have the values of `standard`.
    init(wire: JSONObject, standard: ProjectConfig) {
        self = standard
        if let flag = wire["signIn"]?["allowDuplicateEmails"]?.bool { allowsDuplicateEmails = flag }
        if let object = wire["blockingFunctions"]?.object { blockingFunctions = object }
        if let flag = wire["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool { emailPrivacy = flag }
        unobeyed = JSONObject()
        for (name, value) in wire.members where !ProjectConfigSections.known.contains(name) {
            unobeyed[name] = value
        }
    }
}

extension JSONObject {
    /// Copies the member at a path from an update.
    ///
    /// If the update lacks that member, nothing changes.
    fileprivate mutating func take(_ path: ArraySlice<Substring>, of update: JSONObject) {
        guard let name = path.first.map(String.init), let value = update[name] else { return }
        guard path.count > 1 else {
            self[name] = value
            return
        }
        guard let inner = value.object else { return }
        var own = self[name]?.object ?? JSONObject()
        own.take(path.dropFirst(), of: inner)
        self[name] = .object(own)
    }
}
