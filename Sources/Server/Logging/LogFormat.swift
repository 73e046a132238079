internal import JSON

/// The forms of a line of the log.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object, for programs.
    case json
    /// Time, level, event and `name=value` for each field, for people.
    case text
}

/// How much an event matters to the operator.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    /// Each request.
    case debug
    /// What happens in ordinary use.
    case info
    /// What may need attention.
    case warning
    /// What needs attention.
    case error

    package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

    /// The position in the order of levels, from 0.
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// Returns the level of an event: the one in its field `level`, otherwise that of its name.
    static func of(_ event: String, _ fields: [(name: String, value: JSONValue)]) -> LogLevel {
        for field in fields where field.name == "level" {
            if case .string(let text) = field.value, let level = LogLevel(rawValue: text) { return level }
        }
        return levels[event] ?? .info
    }

    /// The levels of events, without those of level `info`.
    private static let levels: [String: LogLevel] = [
        "request": .debug,
        "assets.problem": .warning, "assets.unfinished": .warning, "cleanup.failed": .warning,
        "codes.paused": .warning, "failure": .warning, "failures": .warning, "hook.lease-lost": .warning,
        "hook.not-delivered": .warning, "http.address-refused": .warning, "http.connections-evicted": .warning,
        "keys.not-fetched": .warning, "keys.not-refreshed": .warning, "listening.failed": .warning,
        "merge.abandoned": .warning, "metrics.not-refreshed": .warning, "origin.refused": .warning,
        "readiness": .warning, "storage": .warning, "templates": .warning,
        "assets.unreadable": .error, "database": .error, "hook.queue-unreadable": .error,
        "hook.recording-failed": .error, "housekeeping.failed": .error, "http.library": .warning,
        "http.response-refused": .error, "mail.failed": .error, "merge.cancelling-failed": .error,
        "merge.failed": .error, "reload.refused": .error, "request.failed": .error, "server.not-started": .error,
        "sign-ins.not-recorded": .error,
    ]
}
