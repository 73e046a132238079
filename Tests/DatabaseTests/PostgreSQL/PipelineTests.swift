import Testing

@testable import Database

@Suite("Pipeline of a connection") struct PipelineTests {
    private typealias Line = Pipeline<String>

    private static let begin = Array("BEGIN".utf8)

    /// A transaction with BEGIN and some statements sent.
    private func open(statements: Int = 1) -> Line {
        var line = Line()
        line.begin(with: Self.begin)
        _ = line.takeBegin()
        for _ in 0...statements { line.sent() }
        return line
    }

    /// Ends the batch and records the answers to all batches.
    private func answer(_ line: inout Line, _ answers: [String] = []) {
        line.endBatch()
        while let batch = line.nextBatch {
            for (place, answer) in answers.enumerated() where batch.isCurrent { line.received(answer, at: place) }
            line.finishBatch()
        }
    }

    private func known(_ lookup: Line.Lookup) -> String? {
        if case .known(let answer) = lookup { answer } else { nil }
    }

    private func isAwaited(_ lookup: Line.Lookup) -> Bool {
        if case .awaited = lookup { true } else { false }
    }

    @Test func `BEGIN goes ahead of the first statement, once`() {
        var line = Line()
        #expect(line.takeBegin() == nil)
        line.begin(with: Self.begin)
        #expect(!line.isIdle)
        #expect(line.takeBegin() == Self.begin)
        #expect(line.takeBegin() == nil)
    }

    @Test func `a transaction without statements needs no COMMIT`() {
        var line = Line()
        line.begin(with: Self.begin)
        #expect(line.commit() == .nothing)
        #expect(line.isIdle)
    }

    @Test func `a transaction with statements ends with COMMIT, one without BEGIN with its answers`() {
        var line = open()
        #expect(line.commit() == .commit)
        #expect(!line.isIdle, "the answer to COMMIT decides")
        line.committed()
        #expect(line.isIdle)

        var single = Line()
        single.begin(with: nil)
        single.sent()
        #expect(single.commit() == .read)
    }

    @Test func `a rollback ends the batch, and follows in one of its own`() {
        var line = open()
        let first = line.rollback()
        #expect(first.endsBatch && first.rollsBack)
        line.endBatch()
        line.sent()
        line.endBatch()
        #expect(line.isIdle)
        let second = line.rollback()
        #expect(!second.endsBatch && !second.rollsBack)

        // The next transaction reads the answers of the abandoned one first.
        line.begin(with: nil)
        line.sent()
        line.endBatch()
        #expect(line.nextBatch == Line.Batch(statements: 2, isCurrent: false))
        line.finishBatch()
        #expect(line.nextBatch == Line.Batch(statements: 1, isCurrent: false))
        line.finishBatch()
        #expect(line.nextBatch == Line.Batch(statements: 1, isCurrent: true))
        line.finishBatch()
        #expect(line.nextBatch == nil)
    }

    @Test func `a rollback before the first statement sends nothing`() {
        var line = Line()
        line.begin(with: Self.begin)
        let rollback = line.rollback()
        #expect(!rollback.endsBatch && !rollback.rollsBack)
        #expect(line.takeBegin() == nil)
    }

    @Test func `a prefetched query is answered once`() {
        var line = Line()
        let (one, two): (SQL, SQL) = ("SELECT \(1)", "SELECT \(2)")
        for query in [one, two] {
            line.sent()
            line.awaitLast(Line.Question(query))
        }
        #expect(isAwaited(line.lookUp(two)))
        answer(&line, ["one", "two"])
        #expect(known(line.lookUp(two)) == "two")
        #expect(known(line.lookUp(two)) == nil)
        #expect(known(line.lookUp(one)) == "one")
    }

    @Test func `a change and a new transaction discard what was prefetched`() {
        let query: SQL = "SELECT 1"
        for discard: (inout Line) -> Void in [
            { _ = $0.lookUp("UPDATE items SET amount = 1 RETURNING key") }, { $0.forgetPrefetched() },
            { $0.begin(with: nil) },
        ] {
            var line = Line()
            line.sent()
            line.awaitLast(Line.Question(query))
            answer(&line, ["one"])
            discard(&line)
            #expect(known(line.lookUp(query)) == nil)
        }
    }

    @Test func `an error about a plan means a retry only if the plan is old`() {
        var line = open(statements: 0)
        line.planNext()
        line.sent()
        line.sent()
        #expect(line.failure("0A000", at: 1) == .ofPlans)
        #expect(line.failure("0A000", at: 2) == .ofStatement)
        #expect(line.failure("26000", at: 2) == .ofPlans)
        #expect(line.failure("23505", at: 1) == .ofStatement)
        answer(&line)
        #expect(line.failure("0A000", at: 1) == .ofStatement)
    }

    @Test func `a BEGIN that the server does not know tells a standby, except in an abandoned batch`() {
        let line = open()
        #expect(line.failure("0A000", at: 0) == .ofStandby)
        #expect(line.failure("0A000", at: nil) == .ofStatement)
    }

    @Test func `a batch is full at its limit`() {
        var line = open(statements: Line.longestBatch - 2)
        #expect(!line.isFull)
        line.sent()
        #expect(line.isFull)
    }
}
