/// A queue of the numbers of the streams or held calls to read, each at most once.
struct DueNumbers: Sendable {
    private var queue: [Int] = []
    private var members: Set<Int> = []

    mutating func add(_ numbers: some Sequence<Int>) {
        for number in numbers where members.insert(number).inserted { queue.append(number) }
    }

    /// Removes numbers from the front until `make` has returned `count` values, or none is left.
    ///
    /// - Parameter make: returns `nil` for a number that is dropped without a value.
    /// - Returns: the values.
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
