import Testing

@testable import Database

@Suite("Prepared statements") struct PreparedStatementsTests {
    private let one = StatementText(Array("SELECT 1".utf8))
    private let two = StatementText(Array("SELECT 2".utf8))

    private func statements(limit: Int = 10, with texts: [StatementText] = []) -> PreparedStatements {
        var statements = PreparedStatements(limit: limit, prefix: "s_")
        for (place, text) in texts.enumerated() { statements.sent(text, as: "s_\(place + 1)") }
        return statements
    }

    @Test func `a statement is prepared once, and then known by its name`() {
        var statements = statements()
        #expect(statements.use(one) == .new("s_1", afterClearing: false))
        statements.sent(one, as: "s_1")
        #expect(statements.use(one) == .known("s_1", isConfirmed: false))
        statements.confirm()
        #expect(statements.use(one) == .known("s_1", isConfirmed: true))
        #expect(statements.use(two) == .new("s_2", afterClearing: false))
    }

    @Test func `texts of the same length and end are different statements`() {
        let end = String(repeating: "x", count: 100)
        let (first, second) = (StatementText(Array("SELECT a\(end)".utf8)), StatementText(Array("SELECT b\(end)".utf8)))
        let statements = statements(with: [first])
        #expect(statements.use(first) == .known("s_1", isConfirmed: false))
        #expect(statements.use(second) == .new("s_2", afterClearing: false))
    }

    @Test func `a full server forgets all names, and none is used twice`() {
        var statements = statements(limit: 2, with: [one, two])
        let three = StatementText(Array("SELECT 3".utf8))
        #expect(statements.use(three) == .new("s_3", afterClearing: true))
        statements.cleared()
        statements.sent(three, as: "s_3")
        #expect(statements.use(one) == .new("s_4", afterClearing: false))
    }

    @Test func `a failed batch forgets what it prepared, and nothing else`() {
        var statements = statements(with: [one])
        statements.confirm()
        statements.sent(two, as: "s_2")
        statements.forgetUnconfirmed()
        #expect(statements.use(one) == .known("s_1", isConfirmed: true))
        #expect(statements.use(two) == .new("s_3", afterClearing: false))
    }

    @Test func `names that were forgotten here count as held by the server`() {
        var statements = statements(limit: 2, with: [one, two])
        statements.forgetAll()
        #expect(statements.use(one) == .new("s_3", afterClearing: true))
    }
}
