import Accounts
import DatabaseHarness
import Testing

@testable import AccountDatabase
@testable import Database

@Suite("Messages to hooks")
struct HookMessageTests {
    private static func message(_ id: String, _ event: HookEvent = .userCreated, merge: String? = nil) -> HookMessage {
        HookMessage(id: id, event: event, hook: "app", merge: merge, payload: "{\(id)}")
    }

    private static func lease(_ fresh: FreshStore, worker: String = "w") async throws -> [LeasedHookMessage] {
        try await fresh.database.write {
            try $0.leaseMessages(to: "app", limit: 9, worker: worker, milliseconds: 1000, takingOver: true)
        }
    }

    @Test func `messages to one hook are leased in order, by one worker at a time`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for id in ["a", "b", "c"] { try transaction.queue(Self.message(id)) }
            // Queueing the same id again does not change the message.
            try transaction.queue(Self.message("a", .userDeleted))
        }
        let isDue = try fresh.database.readNow { transaction in
            (try transaction.hasDueMessage(to: "app"), try transaction.hasDueMessage(to: "other"))
        }
        #expect(isDue == (true, false))
        let leased = try await Self.lease(fresh)
        #expect(leased.map(\.id) == ["a", "b", "c"] && leased.map(\.payload) == ["{a}", "{b}", "{c}"])
        #expect(try await Self.lease(fresh, worker: "v").isEmpty)
        #expect(try await fresh.database.write { try $0.retryMessage("a") } == .leased)
        let states = try await fresh.after {
            try $0.finishMessage(leased[0].row, worker: "w", as: .delivered, reason: nil)
            try $0.finishMessage(leased[1].row, worker: "v", as: .delivered, reason: nil)
            try $0.postponeMessage(leased[2].row, worker: "w", by: 60_000, isCounted: true, reason: "status 500")
        } read: {
            try $0.hookMessages(nil, limit: 9)
        }
        #expect(states.map(\.state) == [.queued, .queued, .delivered] && states.map(\.attempts) == [1, 0, 1])
        #expect(states[0].dueAt == moment + 60_000 && states[0].reason == "status 500")
        #expect(try await fresh.database.write { try $0.retryMessage("c") } == .due)
        #expect(try await fresh.database.write { try $0.retryMessage("a") } == .notFound, "it was delivered")
        #expect(try await Self.lease(fresh).map(\.id) == ["c"])
    }

    @Test func `messages to hooks of a merge have one outcome, whichever comes first`() async throws {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let outcomes = try await fresh.after { transaction in
            try transaction.insert(User(anonymous: "guest", at: 1))
            try transaction.prepareMerge("m", of: "guest", into: "target", lease: 1000)
            try transaction.recordQuestion(Self.message("q", .mergePrepare, merge: "m"))
            #expect(try transaction.user("guest")?.mergeID == "m")
            #expect(try transaction.abandonedMerges(limit: 9).isEmpty, "its lease is not over")
            let first = try transaction.cancelMerge("m", reason: "r")
            #expect(first?.guest == "guest" && first?.target == "target")
            #expect(try transaction.cancelMerge("m", reason: "r") == nil)
            #expect(try transaction.user("guest")?.mergeID == nil)
            #expect(try transaction.finishQuestions(of: "m") == ["app"])
            #expect(try transaction.finishQuestions(of: "m") == [])
            try transaction.queue(Self.message("o", .mergeCancel, merge: "m"))
            try transaction.queue(Self.message("o", .mergeCommit, merge: "m"))
        } read: {
            try $0.hookMessages(.queued, limit: 9).map(\.event)
        }
        #expect(outcomes == ["merge.cancel"])
    }

    @Test func `messages to hooks are deleted a week after their outcome, and those of unknown hooks are given up`()
        async throws
    {
        let fresh = try FreshStore()
        defer { fresh.remove() }
        let week: Int64 = 7 * 86_400_000
        try await fresh.database.write { transaction in
            for (id, due, settled) in [("old", 0, moment - week - 1), ("new", 0, moment - week + 1)] {
                try transaction.queue(Self.message(id))
                try transaction.execute(
                    "UPDATE webhook_deliveries SET state = 'delivered', settled_at = \(settled), due_at = \(due) WHERE delivery = \(id)"
                )
            }
            try transaction.queue(Self.message("lost"))
            try transaction.execute("UPDATE webhook_deliveries SET due_at = \(moment - week) WHERE delivery = 'lost'")
            try transaction.queue(Self.message("due"))
        }
        let purged = try await fresh.database.write { try $0.purgeHookMessages(limit: 9) }
        let left = try fresh.database.readNow { try $0.hookMessages(nil, limit: 9) }
        #expect(purged == 1)
        #expect(left.map(\.id) == ["due", "lost", "new"] && left.map(\.state) == [.queued, .failed, .delivered])
    }
}
