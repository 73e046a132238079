import Foundation
import LatchkeyClient
import Testing

@Suite("Session file") struct FileSessionStoreTests {
    let folder: TemporaryFolder
    var path: String { folder.path + "/state/latchkey/session.json" }

    init() throws {
        folder = try TemporaryFolder()
    }

    func store(_ server: String = "http://127.0.0.1:1") -> FileSessionStore {
        FileSessionStore(path: path, server: server)
    }

    static func state(_ ticket: String) throws -> PersistedState {
        let json = #"{"pendingSignIn":{"email":"a@b.c","ticket":"\#(ticket)","confirmation":"47","date":0}}"#
        return try JSONDecoder().decode(PersistedState.self, from: Data(json.utf8))
    }

    func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test func `nothing stored is an empty state`() throws {
        #expect(try store().load() == PersistedState())
    }

    @Test func `only the owner may read it, and its folders`() async throws {
        try store().save(Self.state("t"))
        try await store().exclusively {}
        #expect(try mode(path) == 0o600)
        #expect(try mode(path + ".lock") == 0o600)
        #expect(try mode(folder.path + "/state") == 0o700)
        #expect(try mode(folder.path + "/state/latchkey") == 0o700)
    }

    @Test func `a file that others could read is replaced by one that they cannot`() throws {
        try store().save(Self.state("t"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try store().save(Self.state("u"))
        #expect(try mode(path) == 0o600)
    }

    @Test func `what was saved is loaded`() throws {
        let state = try Self.state("t")
        try store().save(state)
        #expect(try store().load() == state)
    }

    @Test func `the state of an older client, without the request's id, is loaded`() throws {
        let state = try Self.state("t")
        #expect(state.pendingSignIn?.ticket == "t")
        #expect(state.pendingSignIn?.id == nil)
        let json = #"{"pendingSignIn":{"id":"r1","email":"a@b.c","ticket":"t","confirmation":"47","date":0}}"#
        let newer = try JSONDecoder().decode(PersistedState.self, from: Data(json.utf8))
        try store().save(newer)
        #expect(try store().load().pendingSignIn?.id == "r1")
    }

    @Test func `a session is handed out for its own server only`() throws {
        let one = try Self.state("one"), two = try Self.state("two")
        try store("http://127.0.0.1:1").save(one)
        try store("http://127.0.0.1:2").save(two)
        #expect(try store("http://127.0.0.1:1").load() == one)
        #expect(try store("http://127.0.0.1:2").load() == two)
        #expect(try store("http://127.0.0.1:3").load().isEmpty)
        try store("http://127.0.0.1:1").save(PersistedState())
        #expect(try store("http://127.0.0.1:2").load() == two)
    }

    @Test func `no file is left after sign-out`() throws {
        try store().save(Self.state("t"))
        try store().save(PersistedState())
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state/latchkey")
        #expect(left.isEmpty)
    }

    @Test(arguments: ["garbage", "{}", #"{"version":2,"servers":{}}"#, ""])
    func `a file that cannot be read is refused and left alone`(text: String) throws {
        try store().save(Self.state("t"))
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: (any Error).self) { try store().load() }
        #expect(throws: (any Error).self) { try store().save(Self.state("u")) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `many at once take turns`() async throws {
        try store().save(Self.state("0"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<25 {
                // A separate store for each, as in separate processes.
                group.addTask {
                    let store = store()
                    try await store.exclusively {
                        let count = (try? store.load().pendingSignIn?.ticket).flatMap { Int($0) } ?? -1000
                        await Task.yield()
                        try? store.save(Self.state("\(count + 1)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store().load().pendingSignIn?.ticket == "25")
    }

    @Test func `a process that waits too long for the lock gives up`() async throws {
        var store = store()
        store.lockTimeout = .milliseconds(50)
        let impatient = store
        let isRefused = try await store.exclusively {
            do {
                try await impatient.exclusively {}
                return false
            } catch {
                return true
            }
        }
        #expect(isRefused)
        try await impatient.exclusively {}
    }

    @Test func `a description holds no secrets`() throws {
        let state = try Self.state("very-secret")
        #expect(!"\(state) \(String(describing: state.pendingSignIn))".contains("very-secret"))
    }
}
