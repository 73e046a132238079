import AccountDatabase
import Database
import DatabaseHarness
import Foundation
import PostgreSQLHarness
import Testing

/// Random mixes of all flows on two nodes, checked against a replay of one operation after the other.
///
/// `LATCHKEY_OPERATIONS` says how many operations run. `LATCHKEY_OMIT` names one protection, without which the checker must
/// find a fault.
@Suite("Histories of two nodes", .serialized, .enabled(if: TestDatabase.isEnginesTurn))
struct HistoryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let operations = environment["LATCHKEY_OPERATIONS"].flatMap { Int($0) }
    private static let seed = environment["LATCHKEY_SEED"].flatMap { UInt64($0) }
    private static let omitted = environment["LATCHKEY_OMIT"]
    /// The protection that all transactions are serializable while a node of the version before may run.
    private static let olderNodes = "older nodes"
    private static let protections = Transaction.protections + [olderNodes]

    @Test(
        .enabled(if: omitted == nil),
        arguments: isFullDepth || operations != nil ? [World.Versions.current, .mixed] : [.current]
    )
    func `two nodes answer as one that runs one operation after the other`(versions: World.Versions) async throws {
        let seed = Self.seed ?? .random(in: 0...UInt64.max)
        let findings = try await Checker(seed: seed, versions: versions).run(
            Self.operations ?? (isFullDepth ? versions.fullCount : 3000)
        )
        for fault in findings.faults { Issue.record("\(fault)") }
        print(
            """
            Histories, seed \(seed), versions \(versions): \(findings.operations) operations, \
            \(findings.waiting) waited for another, \(findings.sharing) shared a transaction, \(findings.unknown) got 503, \
            \(findings.steps) steps of the replay
            """
        )
        if Self.operations != nil {
            for (name, count) in findings.outcomes.sorted(by: { $0.key < $1.key }) {
                print("  \(name): \(count.answered) answered, \(count.refused) refused")
            }
        }
        guard findings.faults.isEmpty else { return }
        #expect(findings.unknown * 20 <= findings.operations, "seed \(seed): too many calls got 503")
        #expect(findings.waiting * 5 >= findings.operations, "seed \(seed): too tame, too few operations waited")
        // Beside a node of the version before, few calls wait for one another's transaction.
        guard versions == .current, findings.operations >= 1000 else { return }
        #expect(findings.sharing > 0, "seed \(seed): no operations shared a transaction")
    }

    @Test(
        .enabled(if: omitted != nil || isFullDepth, "takes hours"),
        arguments: omitted.map { [$0] } ?? protections
    )
    func `without a protection, the checker finds a fault`(protection: String) async throws {
        try #require(Self.protections.contains(protection))
        for seed in Self.seed.map({ $0...$0 }) ?? 1...5 {
            let checker =
                protection == Self.olderNodes
                ? Checker(seed: seed, versions: .mixedUnnoticed) : Checker(seed: seed, omitted: [protection])
            let findings = try await checker.run(Self.operations ?? 20_000)
            print("Without \(protection), seed \(seed): after \(findings.operations) operations \(findings.faults)")
            #expect(!findings.faults.isEmpty, "\(protection) was not missed, seed \(seed)")
        }
    }
}

extension World.Versions {
    /// The number of operations with `DEPTH=full`.
    fileprivate var fullCount: Int { self == .current ? 200_000 : 20_000 }
}
