import AccountDatabase
import Accounts
import Foundation
import PostgreSQLHarness
import Testing
import Tokens

@testable import Database
@testable import Server

@Suite("Work of one node for all nodes")
struct SharedWorkTests {
    @Test func `several nodes delete expired rows together, and not once each`() async throws {
        try await TestServer.run { first in
            try first.beside { second in
                try first.beside { third in
                    let nodes = [first, second, third]
                    func rounds() -> [Int] {
                        nodes.map { node in node.statements.all.count { $0.hasPrefix("DELETE FROM spent_tokens") } }
                    }
                    // A round is due every 2.4 s.
                    try first.eventually("a first round") { rounds().reduce(0, +) > 0 }
                    let start = ContinuousClock.now
                    let before = rounds()
                    Thread.sleep(forTimeInterval: 8)
                    var done: [Int] = []
                    try first.eventually("two more rounds") {
                        done = zip(rounds(), before).map(-)
                        return done.reduce(0, +) >= 2
                    }
                    let most = Int((ContinuousClock.now - start) / .milliseconds(2400)) + 2
                    #expect(done.reduce(0, +) <= most, "\(done)")
                }
            }
        }
    }

    @Test func `another one goes on forgetting where the one who did it is gone`() async throws {
        try await TestServer.run { server in
            server.clock.freeze()
            // A node that dies during the work.
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    let end = transaction.now + SharedWork.lease
                    try transaction.execute(
                        """
                        INSERT INTO leases (name, worker, leased_until, position) VALUES ('purge', 'gone', \(end), 0)
                        ON CONFLICT (name) DO UPDATE SET worker = 'gone', leased_until = \(end)
                        """
                    )
                }
            }
            server.statements.clear()
            Thread.sleep(forTimeInterval: 3)
            #expect(!server.statements.all.contains { $0.hasPrefix("DELETE FROM spent_tokens") })
            server.clock.advance(seconds: 11)
            try server.eventually("it goes on") {
                server.statements.all.contains { $0.hasPrefix("DELETE FROM spent_tokens") }
            }
        }
    }

    @Test func `nodes that start at once make one signing key, and one is left in the end when all rotate at once`()
        async throws
    {
        try await TestServer.inFolder { folder in
            let database = try TestDatabase(in: folder.path)
            let environment = ["LATCHKEY_DATABASE": database.url, "LATCHKEY_SECRET": TestServer.secret]
            let nodes = try await withThrowingTaskGroup(of: Store.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await TestServer.inThread {
                            try Store.open(
                                Configuration.load(file: nil, environment: environment),
                                logger: Log { _ in }
                            )
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            defer { for node in nodes { node.database.close() } }
            let signers = try await eachAtOnce(nodes) { keys, transaction in
                try keys.load(algorithm: "ES256", in: transaction).signer.keyID
            }
            #expect(Set(signers).count == 1)
            let rotated = try await eachAtOnce(nodes) { keys, transaction in
                try keys.rotate(algorithm: "ES256", in: transaction).kid
            }
            #expect(Set(rotated).count == nodes.count)
            let keys = try await nodes[0].database.read { try $0.signingKeys() }
            #expect(keys.count == nodes.count + 1)
            #expect(keys.count { $0.retiredAt == nil } == 1, "all but the last one are on their way out")
        }
    }

    /// Runs a writing closure on each node, all at once.
    private func eachAtOnce<Result: Sendable>(
        _ nodes: [Store],
        _ body: @escaping @Sendable (SigningKeys, Transaction) throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for node in nodes {
                let keys = SigningKeys(secrets: node.secrets)
                group.addTask { try await node.database.write { try body(keys, $0) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
