/// Streams that wait to be looked at, first come first served, none of them twice.
struct DueStreams: Sendable {
    private var queue: [Int] = []
    private var members: Set<Int> = []

    mutating func add(_ ids: some Sequence<Int>) {
        for id in ids where members.insert(id).inserted { queue.append(id) }
    }

    /// Takes the first of them, and drops those before and between of which nothing is made.
    mutating func take<Value>(atMost count: Int, _ make: (Int) -> Value?) -> [Value] {
        var taken: [Value] = []
        var end = 0
        while end < queue.count, taken.count < count {
            if let value = make(queue[end]) { taken.append(value) }
            members.remove(queue[end])
            end += 1
        }
        queue.removeFirst(end)
        return taken
    }
}
