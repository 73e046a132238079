internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// The setting of clean-up, with whom it touches.
struct CleanupState: Sendable {
    let setting: CleanupSetting
    let preview: CleanupPreview

    /// Reads it; where a change is given, as things would be with it.
    init(_ flows: AccountFlows, with change: CleanupChange = CleanupChange(), in transaction: Transaction) throws {
        setting = try flows.cleanupSetting(in: transaction)
        var supposed = setting
        supposed.days = change.days ?? setting.days
        supposed.since = change.since ?? setting.since
        preview = try flows.previewCleanup(supposed, in: transaction)
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

extension Services {
    /// `GET /v1/projects/{project}/cleanup`: the setting, and how many guests clean-up touches.
    ///
    /// Counts a million rows in some tenths of a second, so not on the thread that serves connections. `days` and `since` in the
    /// query ask what would be.
    func readCleanup(_ request: Request) throws -> Handling {
        try checkAdministrator(request, changing: false)
        var change = CleanupChange()
        if let text = request.queryValue("days") {
            guard let days = Int64(text), CleanupSetting.allowedDays.contains(days) else { throw Self.badDays }
            change.days = days
        }
        change.since = try request.queryValue("since").map(start)
        return .suspended { [flows, change] resumption in
            self.database.read { transaction in
                try CleanupState(flows, with: change, in: transaction)
            } completion: { result in
                resumption.resume { try result.get().response }
            }
        }
    }

    /// What a guest's time is counted from.
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

/// `PATCH /v1/projects/{project}/cleanup`: switches clean-up on or off, sets its days and what they are counted from.
struct ChangeCleanup: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> CleanupChange {
        try services.checkAdministrator(request, changing: true)
        let body = try RequestBody(request)
        try body.refuseUnknown(besides: ["enabled", "days", "since"])
        var change = CleanupChange()
        change.isOn = try body.bool("enabled")
        change.days = try body.integer("days", in: CleanupSetting.allowedDays)
        change.since = try body.string("since").map(services.start)
        return change
    }

    func transact(_ change: CleanupChange, in transaction: Transaction) throws -> CleanupSetting {
        try services.flows.change(change, in: transaction)
    }

    func render(_ setting: CleanupSetting) throws -> Response {
        services.logger(
            "cleanup.changed",
            ("enabled", .bool(setting.isOn)),
            ("days", .number(JSONNumber(setting.days))),
            ("since", .string(setting.since.rawValue))
        )
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("enabled", setting.isOn)
        json.member("days", setting.days)
        json.member("since", setting.since.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
