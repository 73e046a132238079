/// A queue of the numbers of the streams or held calls to read, each at most once.
struct DueNumbers: Sendable {
    private var queue: [Int] = []
    private var members: Set<Int> = []

    mutating func add(_ numbers: some Sequence<Int>) {
        for number in numbers where members.insert(number).inserted { queue.append(number) }
    }

    /// Removes numbers from the front of the queue and maps them to values, until there are `count` values or the queue
    /// is empty.
    ///
    /// - Parameters:
    ///   - count: the maximum number of values.
    ///   - make: maps a number to a value; `nil` drops the number.
    /// - Returns: the values, in the order of their numbers.
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
