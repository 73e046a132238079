internal import Accounts
internal import Database

/// Finds out what is new for streams of changes, for many in two queries.
struct Looks: Sendable {
    /// What the database is asked about one stream.
    struct Question: Sendable {
        let stream: Int
        let token: PresentedToken
        /// The number of the newest change that it knows of; `nil` until it was told where it begins.
        let last: Int64?
    }

    /// What is to be done about a stream.
    enum Finding: Sendable {
        /// It may not go on.
        case over(StreamEnd)
        /// It is told where it begins.
        case begins(Int64)
        /// It knows everything.
        case abreast
        /// It has missed more than can be told; it goes on from the newest number.
        case lost(newest: Int64)
        /// The changes that come next, each with the number after the one before.
        case changed([AnnouncedChange], newest: Int64)
        /// There is something, but there was no room left to read it.
        case unread
    }

    /// How many changes a listener may have missed and still be told of each.
    private static let longestBacklog: Int64 = 1000
    /// How much is read at a time: of one stream about what it takes before its client has to, and of all what memory has.
    private static let batch: (changes: Int64, bytes: Int) = (32, 1 << 20)

    let flows: AccountFlows

    /// Answers questions, in their order, so that those which find no room come first the next time.
    func findings(
        _ questions: [Question],
        in transaction: Transaction
    ) throws -> [(stream: Int, finding: Finding)] {
        let found = try transaction.listeningSessions(questions.map(\.token.sid))
        let sessions = Dictionary(found.map { ($0.sid, $0) }) { first, _ in first }
        var findings: [Finding] = []
        // Devices of one user are mostly at the same place.
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

    /// What session and user say of a stream; what has changed is not read yet.
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
        // A number from the future was never ours: the database is not the one it came from.
        guard (0...Self.longestBacklog).contains(newest - last) else { return .lost(newest: newest) }
        return .changed([], newest: newest)
    }

    /// What comes of the changes that were found.
    private static func finding(_ changes: [AnnouncedChange]?, after last: Int64, newest: Int64) -> Finding {
        guard let changes else { return .unread }
        // What comes after a gap is for the next look, which begins with it.
        let next = zip(changes, last + 1..<Int64.max).prefix { $0.number == $1 }.map(\.0)
        return next.isEmpty ? .lost(newest: newest) : .changed(next, newest: newest)
    }
}

extension Looks.Question {
    /// Where the stream is.
    fileprivate var place: ChangePlace? { last.map { ChangePlace(uid: token.uid, number: $0) } }
}
