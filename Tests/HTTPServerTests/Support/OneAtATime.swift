import Testing

extension Trait where Self == OneAtATime {
    /// Lets tests that start programs and tests that have over a thousand open files run one at a time.
    ///
    /// Foundation's `Process.run()` reads the list of open files, and copies more bytes of each name than it has. Once a
    /// part of that list is full, which takes 1360 open files, it may read past its end and crash.
    static var oneAtATime: Self { OneAtATime() }
}

struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
    private static let turns = Turns()

    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // The scopes of a suite and a test contain those of the test's cases.
        guard testCase != nil else { return try await function() }
        await Self.turns.begin()
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await Self.turns.end()
        try result.get()
    }

    /// A queue of tests of which one runs.
    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func begin() async {
            guard isTaken else {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func end() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }
}
