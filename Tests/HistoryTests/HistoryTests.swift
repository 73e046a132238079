import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

/// Random mixes of all flows on two nodes, checked against a replay of one operation after the other.
@Suite("Histories of two nodes", .enabled(if: TestDatabase.Engine.current == .postgreSQL, "SQLite has one node"))
struct HistoryTests {
    @Test func `two nodes answer as one that runs one operation after the other`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LATCHKEY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        let total = environment["LATCHKEY_OPERATIONS"].flatMap { Int($0) }
        let findings = try await Checker(seed: seed).run(
            total ?? (isFullDepth ? 200_000 : 3000)
        )
        for fault in findings.faults { Issue.record("\(fault)") }
        print(
            """
            Histories, seed \(seed): \(findings.operations) operations, \(findings.waiting) waited for another, \
            \(findings.unknown) got 503, \(findings.steps) steps of the replay
            """
        )
        if environment["LATCHKEY_OPERATIONS"] != nil {
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
