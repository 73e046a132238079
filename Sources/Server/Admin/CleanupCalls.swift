internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// The clean-up setting, with the numbers of guests that clean-up affects.
struct CleanupState: Sendable {
    let setting: CleanupSetting
    let preview: CleanupPreview

    /// Reads the current setting, and counts the guests that clean-up would affect after a change.
    ///
    /// - Parameters:
    ///   - flows: the account rules.
    ///   - change: the days and start to suppose for the counts; by default those of the current setting. Whether the
    ///     change switches clean-up on or off has no effect.
    ///   - transaction: the transaction to read in.
    init(_ flows: AccountFlows, with change: CleanupChange = CleanupChange(), in transaction: Transaction) throws {
        setting = try flows.cleanupSetting(in: transaction)
        preview = try flows.previewCleanup(setting.with(change), in: transaction)
    }

    var response: Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("enabled", setting.isOn)
        json.member("days", setting.days)
        json.member("since", setting.since.rawValue)
        json.member("guests", preview.guests)
        json.member("scheduled", preview.scheduled)
        json.beginObject("leaving")
        json.member("now", preview.now)
        json.member("in7Days", preview.inSevenDays)
        json.member("in30Days", preview.inThirtyDays)
        json.endObject()
        json.beginObject("blocked")
        for (table, count) in preview.blocked.sorted(by: { $0.key < $1.key }) { json.member(table, count) }
        json.endObject()
        json.endObject()
        return .json(json.bytes)
    }
}

extension CleanupSetting {
    /// The setting with the days and the start of a change.
    func with(_ change: CleanupChange) -> CleanupSetting {
        var changed = self
        changed.days = change.days ?? days
        changed.since = change.since ?? since
        return changed
    }
}

extension Services {
    /// `GET /v1/projects/{project}/cleanup`: the setting, and the number of guests that clean-up affects.
    ///
    /// Counting a million rows takes some tenths of a second, so the read does not run on the thread that serves
    /// connections. With `days` and `since` in the query, the numbers are those after such a change.
    func readCleanup(_ call: AuthorizedRequest) throws -> Handling {
        try checkAdministrator(call, changing: false)
        var change = CleanupChange()
        if let text = call.request.queryValue("days") {
            guard let days = Int64(text), CleanupSetting.allowedDays.contains(days) else { throw Self.badDays }
            change.days = days
        }
        change.since = try call.request.queryValue("since").map(start)
        return .suspended { [flows, change] resumption in
            self.database.read(kind: "PreviewCleanup") { transaction in
                try CleanupState(flows, with: change, in: transaction)
            } completion: { result in
                resumption.resume { try result.get().response }
            }
        }
    }

    /// Parses `since`: whether a guest's time counts from creation or from the last use.
    ///
    /// - Throws: ``RequestError``.
    func start(_ text: String) throws -> CleanupSetting.Start {
        guard let start = CleanupSetting.Start(rawValue: text) else {
            throw RequestError.schema("/since must be \"creation\" or \"lastUse\"")
        }
        return start
    }

    private static let badDays = RequestError.schema(
        "/days must be a whole number from \(CleanupSetting.allowedDays.lowerBound) to "
            + "\(CleanupSetting.allowedDays.upperBound)"
    )
}

/// `PATCH /v1/projects/{project}/cleanup`: switches the clean-up of guests on or off, and sets its days and the time
/// from which they count.
struct ChangeCleanup: WritingEndpoint {
    struct Input: Sendable {
        let change: CleanupChange
        let actor: AuditActor
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let actor = try services.checkAdministrator(call, changing: true)
        let body = try RequestBody(call.request)
        try body.refuseUnknown(besides: ["enabled", "days", "since"])
        var change = CleanupChange()
        change.isOn = try body.bool("enabled")
        change.days = try body.integer("days", in: CleanupSetting.allowedDays)
        change.since = try body.string("since").map(services.start)
        return Input(change: change, actor: actor)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> CleanupSetting {
        try services.flows.acting(as: input.actor).change(input.change, in: transaction)
    }

    func committed(_ setting: CleanupSetting, of call: CallContext) {
        services.logger(
            "cleanup.changed",
            ("enabled", .bool(setting.isOn)),
            ("days", .number(JSONNumber(setting.days))),
            ("since", .string(setting.since.rawValue))
        )
    }

    func render(_ setting: CleanupSetting) throws -> Response {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("enabled", setting.isOn)
        json.member("days", setting.days)
        json.member("since", setting.since.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
