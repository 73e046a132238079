/// Elements that wait, of which one at a time is taken.
protocol WaitingLine<Element> {
    associatedtype Element

    init()

    /// The number of elements.
    var count: Int { get }
    /// The element that is taken next.
    var first: Element? { get }

    /// Takes the next element.
    mutating func popFirst() -> Element?
}

/// A line in which the element that waits longest is taken first, in constant time on average.
struct FirstComeLine<Element>: WaitingLine {
    /// The elements that are taken next, the next one last.
    private var leaving: [Element] = []
    /// The elements behind them, the next one first.
    private var arriving: [Element] = []

    var count: Int { leaving.count + arriving.count }

    var first: Element? { leaving.last ?? arriving.first }

    /// Adds an element.
    mutating func append(_ element: Element) { arriving.append(element) }

    mutating func popFirst() -> Element? {
        if leaving.isEmpty {
            leaving = arriving.reversed()
            arriving = []
        }
        return leaving.popLast()
    }
}

/// Lines that take turns: one element of each, however long the others are, in constant time on average.
struct RoundRobin<Key: Hashable, Line: WaitingLine>: WaitingLine {
    private var lines: [Key: Line] = [:]
    /// The keys of the lines, which are never empty, the next one first.
    private var turns = FirstComeLine<Key>()
    private(set) var count = 0

    var first: Line.Element? { turns.first.flatMap { lines[$0]?.first } }

    /// Returns the number of elements in a line.
    func count(in key: Key) -> Int { lines[key]?.count ?? 0 }

    /// Adds one element to a line.
    mutating func append(to key: Key, _ add: (inout Line) -> Void) {
        if lines[key] == nil { turns.append(key) }
        add(&lines[key, default: Line()])
        count += 1
    }

    mutating func popFirst() -> Line.Element? {
        guard let key = turns.popFirst() else { return nil }
        count -= 1
        let element = lines[key]?.popFirst()
        if count(in: key) > 0 { turns.append(key) } else { lines[key] = nil }
        return element
    }
}
