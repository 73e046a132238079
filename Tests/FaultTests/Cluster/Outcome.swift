/// The outcome of a call, as its client sees it.
enum Outcome: Sendable {
    /// Done, or refused for a reason of its own.
    case answered(Reply)
    /// Not done, according to the server or because no server answered.
    case notDone
    /// Done or not: the answer got lost, or the server itself does not know.
    case unknown

    var isDone: Bool {
        if case .answered(let reply) = self { reply.status < 300 } else { false }
    }
    var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }
}

/// The possible contents of a person's documents: one number each, or nothing.
struct KnownDocuments: Sendable {
    /// Each document that was ever written, and its possible contents now.
    private(set) var values: [String: Set<Int?>] = [:]

    /// Records the attempt to write or delete a document.
    mutating func learn(_ name: String, _ value: Int?, from outcome: Outcome) {
        switch outcome {
        case _ where outcome.isDone: values[name] = [value]
        case .answered, .notDone: values[name] = values[name] ?? [nil]
        case .unknown: values[name, default: [nil]].insert(value)
        }
    }

    /// Adds the documents of a guest.
    mutating func take(_ others: KnownDocuments) {
        values.merge(others.values) { $1 }
    }
}
