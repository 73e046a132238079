internal import AccountDatabase
internal import Database
internal import HTTPServer
internal import Synchronization
internal import Telemetry

/// `GET /metrics`: the metrics of this node, on the private listeners only.
///
/// The page is made from memory. It never waits for the database: numbers about the whole installation are those that
/// ``GaugeRefresher`` read last.
struct MetricsPage: Sendable {
    static let path = "/metrics"

    let services: Services
    /// Returns the numbers of open connections by listener.
    let connections: @Sendable () -> [(listener: String, count: Int)]
    /// Returns when the certificate expires, in seconds since 1970; `nil` without TLS.
    let certificateExpiry: @Sendable () -> Int64?

    /// Responds in the format that the request asks for.
    func respond(to request: Request) -> Response {
        let format = AcceptedFormat.of(request.headers("Accept").joined(separator: ","))
        return Response(
            headers: [(name: "Content-Type", value: format.contentType), (name: "Vary", value: "Accept")],
            body: text(format).bytes
        )
    }

    /// Returns all metrics.
    func text(_ format: Exposition.Format) -> Exposition {
        var text = Exposition(format)
        text.info(
            "latchkey_build",
            "The version of the running program.",
            [("version", Version.current), ("engine", services.database.isLocal ? "sqlite" : "postgresql")]
        )
        ProcessMetrics.write(startedAt: services.metrics.startedAt, to: &text)
        writeRequests(to: &text)
        services.metrics.write(to: &text)
        if let move = services.firebaseMove {
            let now = services.clock()
            move.metrics.write(isPaused: move.isPaused(at: now), at: now, to: &text)
        }
        writeNode(to: &text)
        writeDatabase(to: &text)
        writeTransactions(to: &text)
        writeInstallation(to: &text)
        return text
    }

    private func writeRequests(to text: inout Exposition) {
        let routes = services.metrics.meter.all
        let responses = services.metrics.budgets.withLock { budgets in
            routes.flatMap { route -> [(labels: Exposition.Labels, value: Double)] in
                var others = 0
                var series: [(labels: Exposition.Labels, value: Double)] = []
                for (status, count) in route.responses {
                    if status != "other", budgets.responses.admits("\(route.route) \(status)") {
                        series.append(([("route", route.route), ("status", status)], Double(count)))
                    } else {
                        others += count
                    }
                }
                if others > 0 { series.append(([("route", route.route), ("status", "other")], Double(others))) }
                return series
            }
        }
        text.counter("latchkey_http_requests", "Answered requests by route and status.", responses)
        text.histogram(
            "latchkey_http_request_duration_seconds",
            "The time from a request's first line to its response.",
            scale: 1e9,
            routes.map { (labels: [("route", $0.route)], value: $0.duration) }.filter { $0.value.count > 0 }
        )
    }

    private func writeNode(to text: inout Exposition) {
        text.gauge(
            "latchkey_http_connections",
            "Open connections by listener.",
            connections().map { (labels: [("listener", $0.listener)], value: Double($0.count)) }
        )
        let streams = services.changes.counts
        text.gauge("latchkey_streams", "Open change streams.", Double(streams.streams))
        text.gauge("latchkey_held_calls", "Calls that are held until a sign-in is approved.", Double(streams.calls))
        let isReady = services.readiness.isReady
        text.gauge("latchkey_ready", "1 if the node can serve (/readyz), otherwise 0.", isReady ? 1 : 0)
        text.gauge(
            "latchkey_certificate_expiry_timestamp_seconds",
            "When the certificate of the public listener expires.",
            certificateExpiry().map(Double.init)
        )
    }

    private func writeDatabase(to text: inout Exposition) {
        let load = services.database.load
        let isUp = services.database.absence == nil && services.database.health.corruption == nil
        text.gauge(
            "latchkey_database_up",
            "1 if the database can be used, as far as is known without a query.",
            isUp ? 1 : 0
        )
        text.gauge(
            "latchkey_database_queued_transactions",
            "Transactions that wait for a connection.",
            [
                (labels: [("queue", "read")], value: Double(load.queuedReads)),
                (labels: [("queue", "write")], value: Double(load.queuedWrites)),
            ]
        )
        text.gauge("latchkey_database_connections", "Open connections of the pool.", Double(load.connections))
        text.gauge(
            "latchkey_database_connections_in_use",
            "Connections of the pool in use.",
            Double(load.connectionsInUse)
        )
        text.gauge("latchkey_database_connections_max", "The size of the pool.", Double(load.connectionLimit))
        text.counter("latchkey_database_commits", "Commits that stored something.", services.database.health.commits)
        let bytes = load.fileBytes ?? services.metrics.installation?.databaseBytes
        text.gauge("latchkey_database_size_bytes", "The size of the database.", bytes.map(Double.init))
        text.gauge(
            "latchkey_database_wal_bytes",
            "The size of SQLite's write-ahead log.",
            load.logBytes.map(Double.init)
        )
        text.gauge(
            "latchkey_database_free_bytes",
            "Free space on the file system of a SQLite database.",
            services.database.freeSpace.flatMap { $0 == .max ? nil : Double($0) }
        )
        if let batches = load.batches {
            text.histogram(
                "latchkey_database_batch_transactions",
                "Transactions that shared one commit of SQLite.",
                [(labels: [], value: batches)]
            )
        }
    }

    private func writeTransactions(to text: inout Exposition) {
        var all: [String: (transactions: Int, retries: Int)] = [:]
        var failures = 0
        services.metrics.budgets.withLock { budgets in
            for statistics in services.database.transactionStatistics {
                let name = statistics.kind
                let kind = budgets.transactions.admits(name) ? name : "other"
                let sum = all[kind] ?? (0, 0)
                all[kind] = (sum.transactions + statistics.closures, sum.retries + statistics.repeats)
                failures += statistics.failures
            }
        }
        let kinds = all.sorted { $0.key < $1.key }
        text.counter(
            "latchkey_database_transactions",
            "Transactions that have ended, by kind.",
            kinds.map { (labels: [("kind", $0.key)], value: Double($0.value.transactions)) }
        )
        text.counter(
            "latchkey_database_transaction_retries",
            "Repetitions of transactions, by kind: after conflicts, or when a shared commit failed.",
            kinds.map { (labels: [("kind", $0.key)], value: Double($0.value.retries)) }
        )
        text.counter(
            "latchkey_database_transaction_failures",
            "Transactions that the database failed.",
            failures
        )
    }

    private func writeInstallation(to text: inout Exposition) {
        guard let gauges = services.metrics.installation else { return }
        let now = services.clock()
        text.gauge(
            "latchkey_users",
            "Users of the installation, guests and others.",
            [
                (labels: [("user", "guest")], value: Double(gauges.guests)),
                (labels: [("user", "permanent")], value: Double(gauges.permanentUsers)),
            ]
        )
        text.gauge("latchkey_cleanup_due_guests", "Guests whose time for clean-up has come.", Double(gauges.dueGuests))
        text.gauge(
            "latchkey_mails_queued",
            "E-mails of the installation that are not sent yet, by state.",
            [
                (labels: [("state", "due")], value: Double(gauges.dueMails)),
                (labels: [("state", "leased")], value: Double(gauges.leasedMails)),
                (labels: [("state", "postponed")], value: Double(gauges.postponedMails)),
            ]
        )
        func age(_ time: Int64?) -> Double { time.map { Double(max(0, gauges.readAt - $0)) / 1000 } ?? 0 }
        text.gauge(
            "latchkey_mails_oldest_age_seconds",
            "The age of the oldest unsent e-mail; 0 without one.",
            age(gauges.oldestMailAt)
        )
        text.gauge(
            "latchkey_hook_messages_queued",
            "Messages to hooks that are not delivered yet.",
            Double(gauges.hookMessages)
        )
        text.gauge(
            "latchkey_hook_messages_oldest_age_seconds",
            "The age of the oldest undelivered message to a hook; 0 without one.",
            age(gauges.oldestHookMessageAt)
        )
        text.gauge(
            "latchkey_lease_remaining_seconds",
            "How long a node still owns shared work; 0 if no node does.",
            gauges.leases.sorted { $0.key < $1.key }.prefix(16).map { name, end in
                (labels: [("work", name)], value: Double(max(0, end - now)) / 1000)
            }
        )
        text.gauge(
            "latchkey_installation_read_timestamp_seconds",
            "When the numbers about the whole installation were read.",
            Double(gauges.readAt) / 1000
        )
    }
}
