internal import Accounts
internal import Synchronization

/// How many streams there are, of each user and in all.
final class Places: Sendable {
    private struct State {
        var taken: [String: Int] = [:]
        var total = 0
    }

    /// Streams at once of one user.
    static let limitPerUser = 10

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many there may be in all.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place for a stream of a user; it is free again once nobody holds the result.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_STREAMS.
    func take(for uid: String) throws -> Place {
        try state.withLock { state in
            guard state.taken[uid, default: 0] < Self.limitPerUser else {
                throw Refusal(.tooManyStreams, detail: "A user has at most \(Self.limitPerUser) streams at a time.")
            }
            guard state.total < limit else {
                throw Refusal(.tooManyStreams, detail: "The server has no stream to spare.", retryAfter: 30)
            }
            state.taken[uid, default: 0] += 1
            state.total += 1
        }
        return Place(of: uid, among: self)
    }

    /// Whether a user has any stream.
    func areTaken(by uid: String) -> Bool {
        state.withLock { $0.taken[uid] != nil }
    }

    fileprivate func free(_ uid: String) {
        state.withLock { state in
            let rest = state.taken[uid, default: 1] - 1
            state.taken[uid] = rest == 0 ? nil : rest
            state.total -= 1
        }
    }
}

/// The right to one stream, for as long as it lives.
final class Place: Sendable {
    private let uid: String
    private let places: Places

    fileprivate init(of uid: String, among places: Places) {
        self.uid = uid
        self.places = places
    }

    deinit {
        places.free(uid)
    }
}
