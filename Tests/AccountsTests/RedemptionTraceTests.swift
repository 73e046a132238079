import AccountDatabase
import Accounts
import Database
import Testing

/// The event of a redemption, which is written after its transaction.
@Suite("Trace of a redemption")
struct RedemptionTraceTests {
    @Test func `nothing is written about a user who was deleted meanwhile`() async throws {
        let scene = try Scene()
        let person = try await scene.account("ann@example.com")
        let there = TraceEntry(.redeemed, of: "here", by: TracedDevice(uid: person.uid), detail: "link", at: 7)
        let gone = TraceEntry(.redeemed, of: "gone", by: TracedDevice(uid: "gone"), detail: "code", at: 7)
        try await scene.run { try $0.trace(redemptions: [gone, there], in: $1) }
        let found = try scene.database.readNow { store in
            try ["here", "gone"].map { try store.traces(of: .request($0), before: nil, limit: 1).flatMap(\.events) }
        }
        #expect(found == [[there], []])
    }
}
