internal import AccountDatabase
internal import Accounts
internal import Database

/// Reads for many change streams at once what each has to send next, in two queries and a few more for each stream
/// whose session or user is gone.
struct ChangeReader: Sendable {
    /// One stream, and the position for which the database is asked what the stream sends next.
    struct Question: Sendable {
        /// The number of the stream on this node.
        let stream: Int
        let token: PresentedToken
        /// The number of the change after which the stream continues: the newest that it has sent or skipped, at first
        /// the client's `Last-Event-ID`; `nil` for a stream that has no position yet.
        let last: Int64?
    }

    /// What to do about a stream.
    enum Finding: Sendable {
        /// The stream must end, for this reason.
        case over(StreamEnd)
        /// The stream has no position yet, and starts after the user's newest change, which has this number.
        case begins(Int64)
        /// The stream is up to date.
        case abreast
        /// The changes after the stream's position are too many or no longer stored, or the position is none of this
        /// database, because it is beyond the newest change. The stream continues from the newest number.
        case lost(newest: Int64)
        /// The next changes after the stream's position, numbered without gaps, and the number of the user's newest
        /// change.
        case changed([AnnouncedChange], newest: Int64)
        /// The stream has missed changes, but this read had no room for them: ask again.
        case unread
    }

    /// The number of changes that a stream may have missed and still be sent each of them.
    private static let longestBacklog: Int64 = 1000
    /// The limits of one read: the number of changes for each stream, and the bytes of all documents together at which
    /// it stops.
    private static let batch: (changes: Int64, bytes: Int) = (32, 1 << 20)

    let flows: AccountFlows

    /// Answers questions about streams, in their order.
    ///
    /// The documents of the first streams are read first. A stream for which there is no room left gets
    /// ``Finding/unread``.
    func findings(
        _ questions: [Question],
        in transaction: Transaction
    ) throws -> [(stream: Int, finding: Finding)] {
        let found = try transaction.listeningSessions(questions.map(\.token.sid))
        let sessions = Dictionary(found.map { ($0.sid, $0) }) { first, _ in first }
        var findings: [Finding] = []
        // The devices of one user usually have the same position.
        var places: [ChangePlace: Int] = [:]
        for question in questions {
            let finding = try finding(question, sessions[question.token.sid], in: transaction)
            findings.append(finding)
            guard case .changed(_, _) = finding, let place = question.place else { continue }
            places[place] = places[place] ?? places.count
        }
        guard !places.isEmpty else { return Array(zip(questions.map(\.stream), findings)) }
        let ordered = places.sorted { $0.value < $1.value }.map(\.key)
        let changes = try transaction.changes(
            after: ordered,
            limit: Self.batch.changes,
            enoughBytes: Self.batch.bytes
        )
        return zip(questions, findings).map { question, finding in
            guard case .changed(_, let newest) = finding, let place = question.place, let index = places[place] else {
                return (question.stream, finding)
            }
            return (question.stream, Self.finding(changes[index], after: place.number, newest: newest))
        }
    }

    /// Decides by session and user what a stream has to do; for a stream with changes to read, returns
    /// ``Finding/changed(_:newest:)`` without any.
    private func finding(
        _ question: Question,
        _ session: ListeningSession?,
        in transaction: Transaction
    ) throws -> Finding {
        let token = question.token
        let end = try flows.streamEnd(of: token, expiry: token.expiry, session: session, in: transaction)
        if let end { return .over(end) }
        let newest = session?.user?.changeNumber ?? 0
        guard let last = question.last else { return .begins(newest) }
        if newest == last { return .abreast }
        // A larger number was never assigned here: it comes from another database.
        guard (0...Self.longestBacklog).contains(newest - last) else { return .lost(newest: newest) }
        return .changed([], newest: newest)
    }

    /// Turns the changes that were read after a position into a finding; `nil` means that the read had no room for
    /// them.
    private static func finding(_ changes: [AnnouncedChange]?, after last: Int64, newest: Int64) -> Finding {
        guard let changes else { return .unread }
        // Changes after a gap are left for the next read, which starts at the gap.
        let next = zip(changes, last + 1..<Int64.max).prefix { $0.number == $1 }.map(\.0)
        return next.isEmpty ? .lost(newest: newest) : .changed(next, newest: newest)
    }
}

extension ChangeReader.Question {
    /// The stream's position: its user and the number ``last``; `nil` if the stream has none yet.
    fileprivate var place: ChangePlace? { last.map { ChangePlace(uid: token.uid, number: $0) } }
}
