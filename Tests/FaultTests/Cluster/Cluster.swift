import Foundation
import PostgreSQLHarness
import SMTPHarness
import Testing

/// Nodes around one PostgreSQL server, each a process of the real program, with one mail server for all.
final class Cluster: Sendable {
    /// What the clients observed.
    struct Watch: Sendable {
        var answered = 0
        /// 503 for what was certainly not done.
        var unavailable = 0
        /// Missing answers, and answers with an unknown outcome.
        var unknown = 0
        /// The longest wait for an answer, in milliseconds.
        var longest = 0.0
    }

    let postgreSQL: PostgreSQLServer
    /// The database's URL.
    let database: String
    let folder: Folder
    let letters = Letters()
    let watch = Shared(Watch())
    private let mail: SMTPServer
    private let environments: [[String: String]]
    private let nodes: Shared<[TestedServer?]>

    /// Prepares nodes on a fresh database.
    ///
    /// - Parameters:
    ///   - count: the number of nodes.
    ///   - postgreSQL: the server of the database.
    ///   - mailFaults: the faults of the mail server.
    ///   - variables: further variables of a node, by its number and the database's URL.
    init(
        nodes count: Int = 3,
        on postgreSQL: PostgreSQLServer? = nil,
        mailFaults: FaultPlan = .none,
        _ variables: (Int, String) -> [String: String] = { _, _ in [:] }
    ) throws {
        let server = try postgreSQL ?? PostgreSQLServer.shared.get()
        let database = try server.makeDatabase()
        let folder = try Folder()
        let mail = try SMTPServer.started(into: letters, faults: mailFaults)
        self.postgreSQL = server
        self.database = database
        self.folder = folder
        self.mail = mail
        environments = (0..<count).map { node in
            let common = [
                "LATCHKEY_DATABASE": database, "LATCHKEY_SECRET": String(repeating: "cluster-secret-", count: 3),
                // Short, so that the work of a dead node does not wait for minutes.
                "LATCHKEY_MAIL_RETRY_LEASE": "4s", "LATCHKEY_MAIL_RETRY_FIRST": "1s",
                "LATCHKEY_MAIL_RETRY_LONGEST": "2s",
            ]
            return TestedServer.environment(folder, mail: mail)
                .merging(common) { $1 }
                .merging(variables(node, database)) { $1 }
        }
        nodes = Shared(Array(repeating: nil, count: count))
    }

    deinit {
        mail.stop()
        for node in nodes.value { node?.program.signal(SIGKILL) }
        postgreSQL.removeDatabase(database)
    }

    /// Prepares nodes and starts them all at once.
    static func started(
        nodes count: Int = 3,
        on postgreSQL: PostgreSQLServer? = nil,
        mailFaults: FaultPlan = .none,
        _ variables: (Int, String) -> [String: String] = { _, _ in [:] }
    ) async throws -> Cluster {
        let cluster = try Cluster(nodes: count, on: postgreSQL, mailFaults: mailFaults, variables)
        try await cluster.start()
        return cluster
    }

    var count: Int { environments.count }

    /// Starts all nodes at the same moment.
    func start() async throws {
        try await withThrowingTaskGroup { group in
            for node in 0..<count { group.addTask { try await self.start(node) } }
            try await group.waitForAll()
        }
    }

    /// Starts a node and waits until it is ready.
    func start(_ node: Int) async throws {
        let server = try await TestedServer.start(environment: environments[node], in: folder)
        nodes.change { $0[node] = server }
    }

    /// Asks a node to stop, and waits for its end.
    func stop(_ node: Int) async throws -> Int32? {
        let server = nodes.change { nodes in
            defer { nodes[node] = nil }
            return nodes[node]
        }
        return try await server?.stop()
    }

    /// Kills a node.
    func kill(_ node: Int) async throws {
        let server = nodes.change { nodes in
            defer { nodes[node] = nil }
            return nodes[node]
        }
        try await server?.kill()
    }

    /// Runs a command of the program as an operator of a node does.
    func run(_ words: [String], as node: Int = 0) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(words, environment: environments[node], in: folder)
    }

    /// The port of a running node.
    func port(_ node: Int) -> UInt16? { nodes.value[node]?.port }

    /// Opens a new connection to a node.
    func caller(_ node: Int) throws -> Caller {
        guard let port = port(node) else { throw Lost(description: "node \(node) is not there") }
        return try Caller(port: port, patience: 60)
    }

    /// Returns the answer of each node to the same question, asked at the same moment.
    func everywhere<Answer: Sendable>(
        _ question: @escaping @Sendable (Int, Caller) async throws -> Answer
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup { group in
            for node in 0..<count {
                let caller = try caller(node)
                group.addTask { (node, try await question(node, caller)) }
            }
            var answers: [(Int, Answer)] = []
            for try await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Returns rows of the database, their columns separated by a bar.
    func rows(_ sql: String) throws -> [String] {
        try postgreSQL.psql(database, sql).split(separator: "\n").map(String.init)
    }

    /// Counts the deadlocks that the server has resolved.
    func deadlocks() throws -> Int {
        try String(contentsOfFile: "\(postgreSQL.folder)/log", encoding: .utf8).split(separator: "deadlock detected")
            .count - 1
    }

    /// Measures the time until every node accepts a sign-up again, in seconds.
    func recovery(within seconds: Double) async throws -> Double {
        let start = ContinuousClock.now
        for node in 0..<count {
            try await eventually(within: seconds, "node \(node) to recover") {
                let reply = try? await caller(node).call("signUp")
                return reply?.status == 200 ? () : nil
            }
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Lets people use the nodes while something happens to them, until the people have finished their day.
    ///
    /// - Returns: the people, who know what was acknowledged.
    func live(
        _ number: Int,
        keepingConnections: Bool = true,
        while event: () async throws -> Void
    ) async throws -> [Person] {
        let people = (0..<number).map { Person("person-\($0)", of: self, keepsConnections: keepingConnections) }
        let isOver = Shared(false)
        try await withThrowingTaskGroup { group in
            for person in people { group.addTask { try await person.live(until: isOver) } }
            defer { isOver.change { $0 = true } }
            try await event()
            isOver.change { $0 = true }
            try await group.waitForAll()
        }
        return people
    }
}
