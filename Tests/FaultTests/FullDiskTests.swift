import Foundation
import Glibc
import JSON
import PostgreSQLHarness
import Testing

extension FaultTests {
    @Suite("A full disk under a database file") struct FullDiskTests {
        @Test(
            .enabled(if: TestDatabase.isFile, "a server's disk is the server's concern"),
            .enabled("needs root or user namespaces") { try await SmallDisk.isPossible() }
        )
        func `writes are refused while there is no space, and nothing is lost`() async throws {
            try await Depth.sideBySide(3, full: 10) {
                let folder = try Folder()
                let disk = try await SmallDisk.mounted(in: folder, megabytes: 64)
                defer { disk.unmount() }
                try await Self.fillAndRecover(disk)
                // A line that tells the operator why.
                #expect(disk.server.program.errors.contains { $0.contains("database or disk is full") })
                try checkIntegrity(file: disk.copyOfDatabase(in: folder))
                #expect(try await disk.server.stop() == 0)
            }
        }

        @Test(
            .enabled(if: TestDatabase.Engine.current == .postgreSQL, "only a server has tablespaces"),
            .enabled(if: geteuid() == 0, "needs root")
        )
        func `writes are refused while a PostgreSQL server has no space, and nothing is lost`() async throws {
            let disk = try await SmallDisk.mounted(
                in: try Folder(),
                megabytes: 64,
                under: try PostgreSQLServer.shared.get()
            )
            defer { disk.unmount() }
            try await Self.fillAndRecover(disk)
            #expect(disk.server.program.errors.contains { $0.contains("No space left on device") })
            #expect(try await disk.server.stop() == 0)
        }

        @Test(
            .enabled(if: TestDatabase.isFile, "a server's disk is the server's concern"),
            .enabled("needs root or user namespaces") { try await SmallDisk.isPossible() }
        )
        func `documents and guests cannot take the last space, and signing in goes on`() async throws {
            let folder = try Folder()
            let disk = try await SmallDisk.mounted(
                in: folder,
                megabytes: 64,
                ["STORAGE_LOW_MARK": String(40 << 20)]
            )
            defer { disk.unmount() }
            let caller = try disk.server.caller()
            let guest = try await caller.signUp()
            func write() async throws -> Reply {
                let bearer = ["Authorization: Bearer \(guest.idToken)"]
                return try await caller.request("PUT", "/v1/documents/c/1", bearer, Array("{}".utf8))
            }
            #expect(try await write().status == 201)
            disk.fill(megabytes: 30)
            let refused = try await eventually(within: 30, "documents to be refused") {
                let reply = try await write()
                return reply.status == 503 ? reply : nil
            }
            #expect(refused.code == "STORAGE_LOW")
            #expect(try await caller.call("signUp").status == 200)
            disk.fill(megabytes: 50)
            let last = try await eventually(within: 30, "guests to be refused") {
                let reply = try await caller.call("signUp")
                return reply.status == 503 ? reply : nil
            }
            #expect(last.code == "STORAGE_LOW")
            let form = "grant_type=refresh_token&refresh_token=\(guest.refreshToken)"
            #expect(try await caller.post("/v1/token?key=k", form: form).status == 200)
            let mail: JSONValue = ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            #expect(try await caller.call("sendOobCode", mail).status == 200)
            #expect(try await caller.get("/readyz").status == 200)
            #expect(try await disk.server.stop() == 0)
        }

        private static func fillAndRecover(_ disk: SmallDisk) async throws {
            // The log of changes must not fill the whole disk, because clearing has to free some space.
            disk.fill(megabytes: 40)
            let known = Shared<[Guest]>([])
            let refused = Shared<[Reply]>([])
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        let caller = try disk.server.caller()
                        // Continues until it has been refused a few times.
                        while refused.value.count < 40 {
                            let reply = try await caller.call("signUp")
                            if reply.status == 200, let uid = reply["localId"], let token = reply["idToken"] {
                                known.change { $0.append(Guest(uid: uid, idToken: token, refreshToken: "")) }
                            } else {
                                refused.change { $0.append(reply) }
                            }
                        }
                    }
                }
                // The other tasks end only once they are refused, so the disk is filled in any case.
                _ = try? await eventually(within: 60, "sign-ups") { known.value.count >= 10 ? true : nil }
                disk.fill()
                try await group.waitForAll()
            }
            for reply in refused.value {
                #expect(reply.status == 503 && reply.code == "UNAVAILABLE")
                #expect(reply.header("retry-after") != nil)
            }
            let probing = try disk.server.caller()
            // The node reports that it accepts no writes. PostgreSQL finds room for its small write on a page in use.
            if TestDatabase.isFile {
                _ = try await eventually(within: 30, "readyz to turn red") {
                    try await probing.get("/readyz").status == 503 ? true : nil
                }
            }
            // Calls that need no space continue to work.
            let caller = try disk.server.caller()
            #expect(!known.value.isEmpty)
            for guest in known.value {
                let reply = try await caller.lookup(guest.idToken)
                #expect(reply.status == 200 && reply.uid == guest.uid)
            }
            #expect(try await caller.get("/.well-known/jwks.json").status == 200)

            disk.clear()
            let guest = try await eventually(within: 30, "a sign-up after the disk has space") {
                try? await caller.signUp()
            }
            for guest in known.value + [guest] {
                #expect(try await caller.lookup(guest.idToken).uid == guest.uid)
            }
            #expect(try await probing.get("/readyz").status == 200, "a write was committed")
        }
    }
}

/// A small file system of its own with a server's database on it: mounted by root, or in the server's own namespace.
final class SmallDisk: Sendable {
    let server: TestedServer
    /// The path of the file system for these tests.
    private let path: String
    private let isMounted: Bool
    /// Removes from a PostgreSQL server what it has on the file system.
    private let clean: @Sendable () -> Void

    private init(
        server: TestedServer,
        path: String,
        isMounted: Bool,
        clean: @escaping @Sendable () -> Void = {}
    ) {
        self.server = server
        self.path = path
        self.isMounted = isMounted
        self.clean = clean
    }

    static func mounted(
        in folder: Folder,
        megabytes: Int,
        _ more: [String: String] = [:]
    ) async throws -> SmallDisk {
        let mountPoint = folder("disk")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        let settings = ["DATABASE": "sqlite:\(mountPoint)/latchkey.db"].merging(more) { $1 }
        let mount = ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", mountPoint]
        if geteuid() == 0, try await run(mount, in: folder) {
            let server = try await TestedServer.start(in: folder, settings)
            return SmallDisk(server: server, path: mountPoint, isMounted: true)
        }
        let script = "\(mount.joined(separator: " ")) && exec \"$0\" \"$@\""
        let wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
        let server = try await TestedServer.start(in: folder, settings, wrapper: wrapper)
        return SmallDisk(server: server, path: "/proc/\(server.program.pid)/root\(mountPoint)", isMounted: false)
    }

    /// Mounts a tablespace for the database of a server, as root.
    static func mounted(
        in folder: Folder,
        megabytes: Int,
        under postgreSQL: PostgreSQLServer
    ) async throws -> SmallDisk {
        let mountPoint = folder("disk")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        let mount = ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", mountPoint]
        #expect(try await run(mount, in: folder))
        #expect(try await run(["chown", "postgres", mountPoint], in: folder))
        let url = try postgreSQL.makeDatabase()
        let database = try #require(url.split(separator: "/").last?.split(separator: "?").first)
        let tablespace = "small_\(database)"
        let administration = postgreSQL.url(of: "postgres")
        try postgreSQL.psql(administration, "CREATE TABLESPACE \(tablespace) LOCATION '\(mountPoint)'")
        try postgreSQL.psql(administration, "ALTER DATABASE \(database) SET TABLESPACE \(tablespace)")
        let server = try await TestedServer.start(in: folder, ["DATABASE": url])
        return SmallDisk(server: server, path: mountPoint, isMounted: true) {
            _ = try? postgreSQL.psql(administration, "DROP DATABASE \(database) WITH (FORCE)")
            _ = try? postgreSQL.psql(administration, "DROP TABLESPACE \(tablespace)")
        }
    }

    /// Fills part of the space, or all of it.
    func fill(megabytes: Int? = nil) {
        let descriptor = unsafe open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard megabytes == nil else {
            posix_fallocate(descriptor, 0, (megabytes ?? 0) << 20)
            return
        }
        for size in [1 << 20, 4096, 1] {
            let piece = [UInt8](repeating: 0, count: size)
            while unsafe write(descriptor, piece, size) > 0 {}
        }
    }

    /// Frees the space.
    func clear() {
        _ = unsafe unlink("\(path)/filler")
    }

    /// Copies the database to a place with space, while the server runs without writes.
    ///
    /// The log is copied last, because its content may not be in the file yet.
    func copyOfDatabase(in folder: Folder) throws -> String {
        for name in ["latchkey.db", "latchkey.db-wal"] {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: folder("copy-\(name)"))
        }
        return folder("copy-latchkey.db")
    }

    func unmount() {
        clean()
        if isMounted { _ = unsafe umount2(path, Int32(MNT_DETACH)) }
    }

    deinit { unmount() }

    /// Whether this machine can make such a file system.
    static func isPossible() async throws -> Bool {
        if geteuid() == 0 { return true }
        return try await run(["unshare", "--user", "--map-root-user", "--mount", "true"], in: Folder())
    }

    private static func run(_ words: [String], in folder: Folder) async throws -> Bool {
        try await Program(command: words, environment: [:], in: folder).end() == 0
    }
}
