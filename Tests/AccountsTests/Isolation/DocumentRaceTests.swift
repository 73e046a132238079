import AccountDatabase
import Accounts
import Database
import Testing

/// A write of documents at READ COMMITTED beside transactions that change the same document, the session or the user.
@Suite("Document writes beside other transactions", .concurrentTransactions)
struct DocumentRaceTests {
    private func scene(without lock: String?) throws -> Scene {
        try Scene(connections: 4, omittedProtections: lock.map { [$0] } ?? []) { $0.documents.guestMaxCount = 2 }
    }

    private func write(_ content: String, if precondition: DocumentPrecondition = .none) throws -> DocumentWrite {
        DocumentWrite(try DocumentName(collection: "notes", id: "one"), .set(content), if: precondition)
    }

    @Test(arguments: [nil, "writing session"])
    func `a document that appeared meanwhile is not replaced by a call that requires none, because of the lock`(
        without lock: String?
    ) async throws {
        let scene = try scene(without: lock)
        let person = try await scene.guest()
        let first = try write("{\"a\":1}", if: DocumentPrecondition(noneMatch: .any))
        let second = try write("{\"a\":2}", if: DocumentPrecondition(noneMatch: .any))
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.write([first], of: person.token, in: $1)
        }
        let written = try await held.precede(scene) { try $0.write([second], of: person.token, in: $1) }
        #expect(written.refusal == (lock == nil ? .preconditionFailed : nil), "\(written)")
        #expect(try scene.documents(of: person.uid) == ["notes/one": lock == nil ? "{\"a\":1}" : "{\"a\":2}"])
    }

    @Test(arguments: RefreshRaceTests.Ending.allCases)
    func `a write that waited for the end of its session is refused`(ending: RefreshRaceTests.Ending) async throws {
        let scene = try scene(without: nil)
        let person = try await scene.guest()
        let write = try write("{}")
        let held = await HeldTransaction(in: scene) { try ending.apply(to: person, $0, in: $1) }
        let written = try await held.precede(scene) { try $0.write([write], of: person.token, in: $1) }
        #expect(written.refusal != nil, "\(written)")
        #expect(try scene.documents(of: person.uid).isEmpty)
    }

    @Test func `a guest who is deleted while a write is in progress leaves no document`() async throws {
        let scene = try scene(without: nil)
        let person = try await scene.guest()
        let write = try write("{}")
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.write([write], of: person.token, in: $1)
        }
        let deleted = try await held.precede(scene, isolation: .serializable) {
            try $0.deleteUser(person.token, in: $1)
        }
        _ = try deleted.get()
        #expect(try scene.documents(of: person.uid).isEmpty)
    }

    @Test func `a merge moves the document of a write that was in progress`() async throws {
        let scene = try scene(without: nil)
        let guest = try await scene.guest(), owner = try await scene.account("ann@example.com")
        let write = try write("{}")
        let held = await HeldTransaction(in: scene, isolation: .readCommitted) {
            _ = try $0.write([write], of: guest.token, in: $1)
        }
        let merged = try await held.precede(scene, isolation: .serializable) {
            try $0.merge(
                MergeRequest(token: owner.token, anonymousToken: guest.token, id: "merge", isDryRun: false),
                in: $1
            )
        }
        _ = try merged.get()
        #expect(try scene.documents(of: owner.uid) == ["notes/one": "{}"])
    }
}
