import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

/// Random mixes of all flows on two nodes, checked against a replay of one operation after the other.
///
/// They run where `LATCHKEY_OPERATIONS` or `DEPTH=full` asks for them, because 3000 operations take more than a minute.
@Suite("Histories of two nodes", .enabled(if: TestDatabase.Engine.current == .postgreSQL, "SQLite has one node"))
struct HistoryTests {
    private static let operations = ProcessInfo.processInfo.environment["LATCHKEY_OPERATIONS"].flatMap { Int($0) }

    @Test(.enabled(if: operations != nil || isFullDepth, "takes more than a minute"))
    func `two nodes answer as one that runs one operation after the other`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LATCHKEY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        let findings = try await Checker(seed: seed).run(Self.operations ?? 200_000)
        for fault in findings.faults { Issue.record("\(fault)") }
        print(
            """
            Histories, seed \(seed): \(findings.operations) operations, \(findings.waiting) waited for another, \
            \(findings.unknown) got 503, \(findings.steps) steps of the replay
            """
        )
        if Self.operations != nil {
            for (name, count) in findings.outcomes.sorted(by: { $0.key < $1.key }) {
                print("  \(name): \(count.answered) answered, \(count.refused) refused")
            }
        }
        guard findings.faults.isEmpty else { return }
        #expect(findings.unknown * 20 <= findings.operations, "seed \(seed): too many calls got 503")
    }

    @Test(
        .enabled(if: isFullDepth, "takes hours"),
        arguments: ["refreshed session", "redeemed ticket", "owner of the address"]
    )
    func `without a protection, the checker finds a fault`(protection: String) async throws {
        for seed in UInt64(1)...5 {
            let findings = try await Checker(seed: seed, omitted: [protection]).run(20_000)
            print(
                "Without \(protection), seed \(seed): \(findings.faults.count) after \(findings.operations) operations"
            )
            #expect(!findings.faults.isEmpty, "\(protection) was not missed, seed \(seed)")
        }
    }
}
