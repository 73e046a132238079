internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/projects/{project}/accounts:batchCreate`: imports users (contract, 3.11).
///
/// The users of a call are imported in short transactions, one after the other, so that other writes can run in
/// between. A call that is interrupted has imported only the first of its users.
struct BatchCreate: Sendable {
    /// The maximum length of a body, in bytes.
    static let longestBody = 64 << 20
    /// The maximum number of users in one call: short rows could otherwise fill the memory.
    private static let mostRows = 100_000

    private struct Input: Sendable {
        /// The rows of the body in their order: each a checked user, or the fault that prevents its import.
        let rows: [Result<ImportedUser, ImportFault>]
        let options: ImportOptions
    }

    let services: Services

    func handle(_ call: AuthorizedRequest) throws -> Handling {
        let actor = try services.checkAdministrator(call, changing: true)
        // A body of several megabytes is not parsed on a thread that serves connections.
        return .async { try await run(call.request, by: actor) }
    }

    private func run(_ request: Request, by actor: AuditActor) async throws -> Response {
        let config = try await services.database.read(kind: "ReadProjectConfig") { [flows = services.flows] in
            try flows.projectConfig(in: $0)
        }
        let input = try decode(request, config, by: actor)
        var outcomes: [ImportOutcome] = []
        var pace = ImportPace()
        var rest = input.rows[...]
        while !rest.isEmpty {
            let rows = rest.prefix(pace.size)
            rest = rest.dropFirst(rows.count)
            let (batch, took) = try await write(rows, input.options, by: actor)
            pace.record(took, for: rows.count)
            outcomes += batch
        }
        log(outcomes)
        return response(outcomes, input.rows)
    }

    /// Imports a batch of rows in one transaction.
    ///
    /// - Returns: the outcome of each row, faulty ones included, and the time that the import took in the transaction,
    ///   without the wait before it and the commit after it.
    private func write(
        _ rows: ArraySlice<Result<ImportedUser, ImportFault>>,
        _ options: ImportOptions,
        by actor: AuditActor
    ) async throws -> ([ImportOutcome], Duration) {
        let users = rows.compactMap { try? $0.get() }
        let (imported, took) = try await services.database.write(kind: "ImportUsers") {
            [flows = services.flows.acting(as: actor)] transaction in
            let begun = ContinuousClock.now
            return (try flows.importUsers(users, options, in: transaction), ContinuousClock.now - begun)
        } committed: { [changes = services.changes] imported, _ in
            for (user, outcome) in zip(users, imported) where outcome == .replaced {
                changes.ended(user.uid)
                changes.hint(.updated, to: user.uid)
            }
        }
        var outcomes = imported[...]
        return (
            rows.map { row in
                if case .failure(let fault) = row { return .refused(fault) }
                return outcomes.popFirst() ?? .kept
            }, took
        )
    }

    // MARK: Decoding

    private func decode(
        _ request: Request,
        _ config: ProjectConfig,
        by actor: AuditActor
    ) throws -> Input {
        let body = try RequestBody(request)
        try body.refuseTenant()
        guard let objects = try body.objects("users"), !objects.isEmpty else { throw Refusal(.missingUserAccount) }
        guard objects.count <= Self.mostRows else {
            throw RequestError.schema(
                "/users must NOT have more than \(Self.mostRows) items; send them in several calls"
            )
        }
        let rows = try objects.map { try ImportRow($0) }
        var options = ImportOptions()
        options.authority = actor.authority ?? .idToken
        if try body.bool("allowOverwrite") == true { options.existing = .replace }
        if try body.bool("sanityCheck") == true { try refuseRepetitions(rows, config) }
        if options.existing == .refuse {
            var uids: Set<String> = []
            for row in rows where !uids.insert(row.uid ?? "").inserted {
                throw Refusal(.duplicateLocalID, detail: row.uid ?? "")
            }
        }
        return Input(
            rows: rows.map { row in Result { () throws(ImportFault) in try ImportedUser(row) } },
            options: options
        )
    }

    /// Refuses a call in which two rows have the same identity at a provider, or the same e-mail address although the
    /// project does not allow duplicates.
    ///
    /// - Throws: ``Refusal`` DUPLICATE_EMAIL or DUPLICATE_RAW_ID.
    private func refuseRepetitions(_ rows: [ImportRow], _ config: ProjectConfig) throws {
        var emails: Set<String> = []
        for case let email? in rows.map(\.email) where !email.isEmpty && !config.allowsDuplicateEmails {
            guard emails.insert(email).inserted else { throw Refusal(.duplicateEmail, detail: email) }
        }
        var subjects: Set<[String]> = []
        for provider in rows.lazy.flatMap(\.providers) {
            guard let id = provider.providerID, let subject = provider.rawID else { continue }
            guard subjects.insert([id, subject]).inserted else {
                throw Refusal(.duplicateRawID, detail: "Provider id(\(id)), Raw id(\(subject))")
            }
        }
    }

    // MARK: Rendering

    private func response(
        _ outcomes: [ImportOutcome],
        _ rows: [Result<ImportedUser, ImportFault>]
    ) -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#UploadAccountResponse")
        var faults: [(index: Int, text: String)] = []
        var dropped: [ImportLoss: Int] = [:]
        for (index, outcome) in outcomes.enumerated() {
            switch outcome {
            case .refused(let fault): faults.append((index, fault.text))
            case .created, .replaced:
                for loss in (try? rows[index].get())?.losses ?? [] { dropped[loss, default: 0] += 1 }
            case .kept, .gone: break
            }
        }
        // Firebase's command line takes an empty list for a failure.
        if !faults.isEmpty {
            json.beginArray("error")
            for fault in faults {
                json.beginObject()
                json.member("index", fault.index)
                json.member("message", fault.text)
                json.endObject()
            }
            json.endArray()
        }
        // An extension of Latchkey's: the data of imported users that was left out.
        if !dropped.isEmpty {
            json.beginArray("dropped")
            for loss in ImportLoss.allCases {
                guard let count = dropped[loss] else { continue }
                json.beginObject()
                json.member("what", loss.rawValue)
                json.member("users", count)
                json.member("reason", loss.reason)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return .json(json.bytes)
    }

    private func log(_ outcomes: [ImportOutcome]) {
        func count(_ isCounted: (ImportOutcome) -> Bool) -> JSONValue {
            .number(JSONNumber(Int64(outcomes.count(where: isCounted))))
        }
        services.logger(
            "users.imported",
            ("created", count { if case .created = $0 { true } else { false } }),
            ("replaced", count { $0 == .replaced }),
            ("refused", count { if case .refused = $0 { true } else { false } })
        )
    }
}

extension Services {
    /// Adds the call that imports users.
    ///
    /// Bodies may be long, so callers are checked before the body is received.
    func addImport(to router: inout Router) {
        for prefix in Self.identityToolkitPrefixes {
            router.add(
                .post,
                "\(prefix)/v1/projects/{project}/accounts:batchCreate",
                cors: true,
                maximumBody: BatchCreate.longestBody,
                beforeBody: admitsAdministrators,
                guarded(authorized(BatchCreate(services: self).handle))
            )
        }
    }

    /// The check that admits only administrators before a long body is received.
    private var admitsAdministrators: HeadCheckpoint {
        let admission = guarded { request in
            let call = AuthorizedRequest(request: request, caller: try self.callerByHead(of: request))
            try self.checkAdministrator(call, changing: true)
            return .response(Response())
        }
        return { request in _ = try admission(request) }
    }
}
