/// How a call ended, as its client sees it.
enum Outcome: Sendable {
    /// Done, or refused for what it was.
    case answered(Reply)
    /// By the server's word, or because nobody was there.
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

/// What the documents of somebody may hold: one number each, or nothing.
struct KnownDocuments: Sendable {
    /// Each document that was ever written, and what it may hold now.
    private(set) var values: [String: Set<Int?>] = [:]

    /// Learns from the attempt to write a document, or to delete it.
    mutating func learn(_ name: String, _ value: Int?, from outcome: Outcome) {
        switch outcome {
        case _ where outcome.isDone: values[name] = [value]
        case .answered, .notDone: values[name] = values[name] ?? [nil]
        case .unknown: values[name, default: [nil]].insert(value)
        }
    }

    /// Takes over what a guest had.
    mutating func take(_ others: KnownDocuments) {
        values.merge(others.values) { $1 }
    }
}
