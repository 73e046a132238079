internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// The switches of the project, for administrators (contract, 3.12).
    func addProjectConfig(to router: inout Router) {
        for prefix in Self.identityToolkitPrefixes {
            let path = "\(prefix)/v2/projects/{project}/config"
            router.add(.get, path, cors: true, guarded(handler(ReadProjectConfig(services: self))))
            router.add(.patch, path, cors: true, guarded(handler(ChangeProjectConfig(services: self))))
        }
    }
}

/// `GET /v2/projects/{project}/config`: the switches of the project.
struct ReadProjectConfig: ReadingEndpoint {
    let services: Services

    func decode(_ request: Request) throws {
        try services.checkAdministrator(request, changing: false)
    }

    func transact(_ input: Void, in transaction: Transaction) throws -> ProjectConfig {
        try services.flows.projectConfig(in: transaction)
    }

    func render(_ config: ProjectConfig) throws -> Response {
        .json(JSONValue.object(config.wire).serialized())
    }
}

/// `PATCH /v2/projects/{project}/config`: sets the switches, all of them or those that `updateMask` names.
struct ChangeProjectConfig: WritingEndpoint {
    struct Input: Sendable {
        let update: JSONObject
        /// Paths of members; `nil` for all that there are.
        let mask: [String]?
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let body = try services.administratorsBody(of: request, changing: true)
        let mask = request.queryValue("updateMask").flatMap { $0.isEmpty ? nil : $0 }
        return Input(
            update: try update(body),
            mask: mask.map { $0.split(separator: ",").prefix(100).map(String.init) }
        )
    }

    /// What the body gives, in the spelling of answers.
    private func update(_ body: RequestBody) throws -> JSONObject {
        var update = JSONObject()
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

    /// Blocking functions as they are given, once they are well-formed.
    ///
    /// Nothing here calls them, so in production they are refused: whoever sets one relies on it.
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
                "Latchkey calls no blocking functions; hooks hear of users (docs/hooks.md)."
            )
        }
        return functions.object
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> ProjectConfig {
        let flows = services.flows
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
        return config
    }

    func render(_ config: ProjectConfig) throws -> Response {
        services.logger(
            "project.changed",
            ("allowDuplicateEmails", .bool(config.allowsDuplicateEmails)),
            ("emailPrivacy", .bool(config.emailPrivacy))
        )
        return .json(JSONValue.object(config.wire).serialized())
    }
}

extension ProjectConfig {
    /// As administrators see it.
    var wire: JSONObject {
        var wire = JSONObject()
        wire.append("signIn", ["allowDuplicateEmails": .bool(allowsDuplicateEmails)])
        wire.append("blockingFunctions", .object(blockingFunctions))
        wire.append("emailPrivacyConfig", ["enableImprovedEmailPrivacy": .bool(emailPrivacy)])
        return wire
    }

    /// Reads what administrators wrote; what is missing is as it was at first.
    init(wire: JSONObject, standard: ProjectConfig) {
        self = standard
        if let flag = wire["signIn"]?["allowDuplicateEmails"]?.bool { allowsDuplicateEmails = flag }
        if let object = wire["blockingFunctions"]?.object { blockingFunctions = object }
        if let flag = wire["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool { emailPrivacy = flag }
    }
}

extension JSONObject {
    /// Takes over the member at a path of an update; what the update does not have stays.
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
