internal import AccountDatabase
internal import Accounts
internal import HTTPServer
internal import Mail
internal import Synchronization
internal import Telemetry

/// What this node has counted since it started, for `/metrics`.
///
/// Requests and transactions add to counters without locks (`Counter`). No label contains anything that a
/// client chose.
final class ServerMetrics: Sendable {
    /// The steps of sign-in by e-mail.
    enum LinkStage: String, CaseIterable {
        /// A client asked for an e-mail, which was queued.
        case asked
        /// The mail server accepted the e-mail.
        case sent
        /// The page behind the link was requested, by a person or by a scanner of e-mails.
        case opened
        /// The link, the code or the approval signed a user in.
        case redeemed
        /// The link expired without being used.
        ///
        /// Every node counts those of the whole installation.
        case expired
    }

    /// The outcomes of e-mails.
    enum MailResult: String, CaseIterable {
        case sent, postponed, failed, moot
    }

    /// The outcomes of merges.
    enum MergeResult: String, CaseIterable {
        case done, failed, cancelled
    }

    let meter = RouteMeter(label: RouteLabel.of)
    /// When the metrics were made, in seconds since 1970.
    let startedAt = SystemClock.now() / 1000
    private let links = Tally<LinkStage>()
    private let mails = Tally<MailResult>()
    private let merges = Tally<MergeResult>()
    /// The events of users that are counted, by the names of their log lines.
    private let users = UserEvents()
    private let sweptGuests = Counter()
    private let failures = Mutex<[FailureTrace.Kind: Int]>([:])
    private let gauges = Mutex<InstallationGauges?>(nil)
    let budgets = Mutex(SeriesBudgets())

    func count(_ stage: LinkStage, _ count: Int = 1) { links[stage].add(count) }
    func count(_ result: MergeResult) { merges[result].add() }
    /// The counts of the last day, for the console.
    let day = DayCounts()

    func countUser(_ event: String, isAnonymous: Bool) { users.count(event, isAnonymous: isAnonymous) }
    func countSwept(guests: Int) { sweptGuests.add(guests) }

    /// Counts what happened to an e-mail.
    func count(_ event: MailEvent) {
        switch event {
        case .sent(_, let kind, _):
            mails[.sent].add()
            day.count(.mails, at: SystemClock.now())
            if kind == .signIn { links[.sent].add() }
        case .moot: mails[.moot].add()
        case .postponed: mails[.postponed].add()
        case .failed: mails[.failed].add()
        default: break
        }
    }

    /// Counts a failed call of a kind, of which there are few.
    func count(_ kind: FailureTrace.Kind) {
        day.count(.refusals, at: SystemClock.now())
        failures.withLock { $0[kind, default: 0] += 1 }
    }

    /// Replaces the numbers about the whole installation.
    func record(_ gauges: InstallationGauges) {
        links[.expired].add(Int(clamping: gauges.expiredTickets))
        self.gauges.withLock { $0 = gauges }
    }

    /// The numbers about the whole installation, as they were last read; `nil` before.
    var installation: InstallationGauges? { gauges.withLock(\.self) }

    /// Writes what was counted on this node.
    func write(to text: inout Exposition) {
        text.counter("latchkey_links", "Sign-in e-mails by the step that they reached.", links.series("stage"))
        text.counter("latchkey_mails", "Attempts to send e-mails by their result.", mails.series("result"))
        text.counter(
            "latchkey_merges",
            "Merges of guests into permanent users by their result.",
            merges.series("result")
        )
        text.counter("latchkey_user_events", "Events of users, guests and others.", users.series)
        text.counter("latchkey_cleanup_removed_guests", "Guests that clean-up deleted.", sweptGuests.value)
        writeFailures(to: &text)
    }

    private func writeFailures(to text: inout Exposition) {
        let failures = failures.withLock(\.self).sorted { $0.key.sortKey < $1.key.sortKey }
        let limits = failures.compactMap { kind, count -> (Exposition.Labels, Double)? in
            if case .limit(let name) = kind { ([("limit", name)], Double(count)) } else { nil }
        }
        let others = failures.compactMap { kind, count -> (Exposition.Labels, Double)? in
            if case .limit = kind { nil } else { ([("kind", kind.name)], Double(count)) }
        }
        text.counter("latchkey_limit_hits", "Calls that a limit refused, by the name of the limit.", limits)
        text.counter("latchkey_failed_calls", "Calls with a wrong credential, by kind.", others)
    }
}

/// What limits the series of metrics with many labels.
struct SeriesBudgets: Sendable {
    /// Routes with a status.
    var responses = SeriesBudget<String>(limit: 200)
    /// Kinds of transactions.
    var transactions = SeriesBudget<String>(limit: 45)
}

/// A counter for each case of an enumeration.
private final class Tally<Case: CaseIterable & RawRepresentable<String> & Hashable & Sendable>: Sendable {
    private let counters: [Case: Counter]

    init() {
        counters = Dictionary(uniqueKeysWithValues: Case.allCases.map { ($0, Counter()) })
    }

    subscript(_ value: Case) -> Counter { counters[value] ?? Counter() }

    /// A series for each case, also for those that were not counted yet.
    func series(_ label: String) -> [(labels: Exposition.Labels, value: Double)] {
        Case.allCases.map { ([(label, $0.rawValue)], Double(self[$0].value)) }
    }
}

/// Counters for events of users, guests and others apart.
private struct UserEvents: Sendable {
    private static let events = [
        "user.created", "user.signed-in", "user.linked", "user.signed-out", "user.deleted", "user.merged",
        "session.ended",
    ]

    private let counters: [String: (guest: Counter, permanent: Counter)] = Dictionary(
        uniqueKeysWithValues: events.map { ($0, (Counter(), Counter())) }
    )

    func count(_ event: String, isAnonymous: Bool) {
        guard let pair = counters[event] else { return }
        (isAnonymous ? pair.guest : pair.permanent).add()
    }

    var series: [(labels: Exposition.Labels, value: Double)] {
        Self.events.flatMap { event -> [(labels: Exposition.Labels, value: Double)] in
            guard let pair = counters[event] else { return [] }
            return [
                ([("event", event), ("user", "guest")], Double(pair.guest.value)),
                ([("event", event), ("user", "permanent")], Double(pair.permanent.value)),
            ]
        }
    }
}
