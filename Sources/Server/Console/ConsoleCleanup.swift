internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/clean-up`: shows the clean-up of guests, and what a change of it would do.
struct ConsoleCleanup: ConsolePage {
    struct Input: Sendable {
        /// The change to try.
        let change: CleanupChange
        let isDone: Bool
    }

    struct Found: Sendable {
        let input: Input
        let state: ConsoleCleanupState
    }

    static let section = ConsoleSection.cleanup
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        var change = CleanupChange()
        change.days = try CleanupChange.days(request.queryValue("days"))
        change.since = request.queryValue("since").flatMap(CleanupSetting.Start.init(rawValue:))
        return Input(change: change, isDone: request.queryValue("done") == "change")
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        Found(input: input, state: try ConsoleCleanupState(services, with: input.change, in: transaction))
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let setting = found.state.setting, count = found.state.count(services)
        let days = found.state.supposed.days, since = found.state.supposed.since
        let start = { (since: CleanupSetting.Start) in since == .creation ? "creation" : "last use" }
        return try frame.page(
            "clean-up",
            title: "Clean-up",
            [
                "state": setting.isOn
                    ? "On: guests are deleted \(setting.days) days after their \(start(setting.since))."
                    : "Off: new guests stay."
            ],
            parts: [
                "numbers": .part("numbers", count.map(numbers)), "tables": .part("tables", count.map(tables)),
                "form": form(days, since, setting, frame),
                "done": found.input.isDone ? "<p class=\"notice\" role=\"status\">The setting was changed.</p>" : "",
            ],
            isCounting: count == nil
        )
    }

    private func numbers(_ count: CleanupCounter.Count) -> Markup {
        let preview = count.preview
        return .facts([
            ("Guests", "\(preview.guests)"), ("With a due time", "\(preview.scheduled)"),
            ("Leaving now", "\(preview.now)"), ("Within 7 days", "\(preview.inSevenDays)"),
            ("Within 30 days", "\(preview.inThirtyDays)"), ("Counted", .time(count.countedAt)),
        ])
    }

    private func tables(_ count: CleanupCounter.Count) -> Markup {
        let rows = count.preview.blocked.sorted { $0.key < $1.key }.map { table, number -> [Markup] in
            let guests = (count.kept[table] ?? []).map { uid in
                "<li>\(.link("<code>\(uid)</code>" as Markup, to: ConsolePath.user(uid)) as Markup)</li>" as Markup
            }
            return [Markup(table), "\(number)", "<ul class=\"plain\">\(guests.joined())</ul>"]
        }
        return .table(
            "Tables that keep guests",
            ["Table", "Guests it keeps", "The first of them"],
            rows,
            empty: "No table of yours keeps a guest that is due."
        )
    }

    private func form(
        _ days: Int64,
        _ since: CleanupSetting.Start,
        _ setting: CleanupSetting,
        _ frame: ConsoleFrame
    ) -> Markup {
        let choices = CleanupSetting.Start.allCases.map { start -> Markup in
            let label = start == .creation ? "creation" : "last use"
            return start == since
                ? "<option value=\"\(start.rawValue)\" selected>\(label)</option>"
                : "<option value=\"\(start.rawValue)\">\(label)</option>"
        }.joined()
        let preview: Markup = """
            <form method="get" action="\(ConsolePath.cleanup)" class="inline"><div><label for="days">Days</label><input class="text" id="days" \
            name="days" type="number" min="1" max="3650" required value="\(days)"></div><div><label for="since">Counted from</label>\
            <select class="text" id="since" name="since">\(choices)</select></div><button class="quiet small">Preview</button></form>
            """
        guard !frame.caller.isReadOnly else { return preview }
        let path = "\(ConsolePath.cleanup)/change?days=\(days)&since=\(since.rawValue)"
        let label = since == .creation ? "creation" : "last use"
        let on: Markup =
            setting.isOn
            ? "<a class=\"button quiet small\" href=\"\(path)&amp;state=on\">Set to \(days) days after \(label)…</a>"
            : "<a class=\"button danger small\" href=\"\(path)&amp;state=on\">Switch on: \(days) days after \(label)…</a>"
        let off: Markup =
            setting.isOn ? "<a class=\"button quiet small\" href=\"\(path)&amp;state=off\">Switch off…</a>" : ""
        return preview + "<div class=\"choices\">\(on)\(off)</div>"
    }
}

/// `GET /console/clean-up/change`: asks whether to change the clean-up, and says what will happen.
struct AskToChangeConsoleCleanup: ConsolePage {
    struct Found: Sendable {
        let isOn: Bool
        let state: ConsoleCleanupState
    }

    static let section = ConsoleSection.cleanup
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> CleanupChange {
        var change = CleanupChange()
        change.isOn = request.queryValue("state") == "on"
        change.days = try CleanupChange.days(request.queryValue("days"))
        change.since = request.queryValue("since").flatMap(CleanupSetting.Start.init(rawValue:))
        return change
    }

    func find(_ change: CleanupChange, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        guard !caller.isReadOnly else { throw Refusal.readOnlyAdministrator }
        let state = try ConsoleCleanupState(services, with: change, in: transaction)
        return Found(isOn: change.isOn == true, state: state)
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let isOn = found.isOn, preview = found.state.count(services)?.preview
        let days = found.state.supposed.days, since = found.state.supposed.since
        let label =
            isOn
            ? found.state.setting.isOn ? "Change the clean-up" : "Switch on the clean-up" : "Switch off the clean-up"
        let start = since == .creation ? "creation" : "last use"
        let points =
            isOn
            ? [
                "Guests are deleted with all their data \(days) days after their \(start). This cannot be undone.",
                preview.map {
                    "\($0.now) guests leave now, \($0.inSevenDays) within 7 days and \($0.inThirtyDays) within 30 days."
                } ?? ConsoleCleanupState.notCounted,
                "Guests that rows of your tables keep stay.",
            ] : ["No guest is deleted any more.", "Guests that were deleted before do not come back."]
        let form = try frame.form(
            ConsolePath.cleanup,
            label,
            style: isOn ? "danger" : "",
            fields: [("state", isOn ? "on" : "off"), ("days", String(days)), ("since", since.rawValue)]
        )
        return try frame.question(
            label,
            about: preview.map { "\($0.guests) guests" } ?? "All guests",
            points,
            form: form,
            back: ConsolePath.cleanup,
            isCounting: isOn && preview == nil
        )
    }
}

extension Markup {
    /// Numbers in a part of the page, or a sentence in their place while the guests are being counted.
    fileprivate static func part(_ id: String, _ numbers: Markup?) -> Markup {
        numbers.map { "<div id=\"\(id)\">\($0)</div>" }
            ?? "<div id=\"\(id)\" data-counting><p>\(ConsoleCleanupState.notCounted)</p></div>"
    }
}

/// `POST /console/clean-up`: switches the clean-up of guests on or off.
struct ChangeConsoleCleanup: ConsoleAction {
    static let section = ConsoleSection.cleanup
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> CleanupChange {
        var change = CleanupChange()
        change.isOn = form["state"] == "on"
        change.days = try CleanupChange.days(form["days"])
        change.since = form["since"].flatMap(CleanupSetting.Start.init(rawValue:))
        return change
    }

    func change(_ change: CleanupChange, by flows: AccountFlows, in transaction: Transaction) throws -> Bool {
        _ = try flows.change(change, in: transaction)
        return true
    }

    func committed(_ done: Bool) { services.cleanupCounter.reset() }

    func respond(_ done: Bool, in frame: ConsoleFrame) throws -> Response {
        services.consoleRedirect(to: "\(ConsolePath.cleanup)?done=change")
    }
}

/// The clean-up as pages of the console show it.
struct ConsoleCleanupState: Sendable {
    /// In place of numbers that are not there yet.
    static let notCounted = "The guests are being counted. The numbers appear in a few seconds."

    let setting: CleanupSetting
    /// The setting with the change to try.
    let supposed: CleanupSetting
    /// The numbers of guests; `nil` if there are too many to count them for a page.
    private let count: CleanupCounter.Count?

    /// Reads the setting, and counts the guests if there are few.
    init(_ services: Services, with change: CleanupChange, in transaction: Transaction) throws {
        setting = try services.flows.cleanupSetting(in: transaction)
        supposed = setting.with(change)
        count =
            try transaction.hasGuests(moreThan: CleanupCounter.mostOfPage)
            ? nil : CleanupCounter.Count(supposed, services.flows, in: transaction)
    }

    /// Returns the numbers, which may be a minute old if there are many guests; `nil` if these are not counted yet.
    func count(_ services: Services) -> CleanupCounter.Count? { count ?? services.cleanupCounter.count(supposed) }
}

extension CleanupChange {
    /// Reads the days of a form; `nil` without a value.
    ///
    /// - Throws: ``ConsoleError``.
    fileprivate static func days(_ text: String?) throws -> Int64? {
        guard let text, !text.isEmpty else { return nil }
        guard let days = Int64(text), CleanupSetting.allowedDays.contains(days) else {
            throw ConsoleError(heading: "Not a number of days", message: "The days are a whole number from 1 to 3650.")
        }
        return days
    }
}
