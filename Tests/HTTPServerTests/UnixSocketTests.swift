import Foundation
import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite("A Unix-domain socket") struct UnixSocketTests {
    /// Runs a test with the path of a socket in a new folder.
    private static func withPath(_ body: @escaping @Sendable (String) throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("s").path
        try await onThread { try body(path) }
    }

    private static func server(
        _ path: String,
        onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in }
    ) throws -> Server {
        var configuration = HTTPConfiguration(listen: try #require(ListenAddress("unix:\(path)")))
        configuration.name = ListenerName(rawValue: "private")
        var router = Router()
        router.add(.get, "/whence") { request in
            .response(
                .text(
                    "\(request.listener.rawValue) \(request.clientAddress) \(request.peerUser.map(String.init) ?? "–")"
                )
            )
        }
        return Server(
            configuration: configuration,
            router: router,
            errorResponse: { _, _ in Response(status: 500) },
            onEvent: onEvent
        )
    }

    @Test func `connections over a Unix-domain socket are served without complaints about options of TCP`() async throws
    {
        try await Self.withPath { path throws in
            let complaints = Mutex<[String]>([])
            let server = try Self.server(path) { event in
                if case .library(let text) = event { complaints.withLock { $0.append(text) } }
            }
            _ = try server.start()
            do {
                defer { server.stop(within: .zero) }
                for _ in 0..<3 {
                    let client = try Client(path: path)
                    for _ in 0..<2 { #expect(try client.request("GET", "/whence").status == 200) }
                }
            }
            #expect(complaints.withLock(\.self) == [])
        }
    }

    private static func mode(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test func `a Unix-domain socket is served, and requests name their listener and the user at the other end`()
        async throws
    {
        try await Self.withPath { path throws in
            let server = try Self.server(path)
            #expect(try server.start().description == "unix:\(path)")
            defer { server.stop(within: .zero) }
            let client = try Client(path: path)
            for _ in 0..<2 { #expect(try client.request("GET", "/whence").text == "private 127.0.0.1 \(getuid())") }
        }
    }

    @Test func `a Unix-domain socket is accessible to its owner only, and removed at a stop`() async throws {
        try await Self.withPath { path throws in
            let server = try Self.server(path)
            _ = try server.start()
            #expect(Self.mode(path) == S_IFSOCK | 0o600)
            server.stop(within: .zero)
            #expect(Self.mode(path) == nil)
        }
    }

    @Test func `a killed server's Unix-domain socket is replaced`() async throws {
        try await Self.withPath { path throws in
            let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let result = unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(result == 0)
            close(left)
            let server = try Self.server(path)
            _ = try server.start()
            defer { server.stop(within: .zero) }
            #expect(try Client(path: path).request("GET", "/whence").status == 200)
        }
    }

    @Test func `a Unix-domain socket that another server answers is not replaced`() async throws {
        try await Self.withPath { path throws in
            let first = try Self.server(path)
            _ = try first.start()
            defer { first.stop(within: .zero) }
            let second = try Self.server(path)
            let error = #expect(throws: ServerStartError.self) { _ = try second.start() }
            #expect(error?.description.contains("another program listens there already") == true)
            #expect(try Client(path: path).request("GET", "/whence").status == 200)
        }
    }

    @Test func `never takes the place of a file that is none`() async throws {
        try await Self.withPath { path throws in
            try Data("precious".utf8).write(to: URL(filePath: path))
            let server = try Self.server(path)
            #expect(throws: ServerStartError.self) { _ = try server.start() }
            #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == "precious")
        }
    }

    @Test func `a successor's Unix-domain socket survives the stop of the earlier server`() async throws {
        try await Self.withPath { path throws in
            let first = try Self.server(path)
            _ = try first.start()
            unsafe unlink(path)
            let second = try Self.server(path)
            _ = try second.start()
            defer { second.stop(within: .zero) }
            first.stop(within: .zero)
            #expect(try Client(path: path).request("GET", "/whence").status == 200)
        }
    }

    @Test func `one of many servers that start at once gets the Unix-domain socket`() async throws {
        try await Self.withPath { path throws in
            let servers = try (0..<8).map { _ in try Self.server(path) }
            let started = Log()
            DispatchQueue.concurrentPerform(iterations: servers.count) { index in
                if let address = try? servers[index].start() { started.add("\(address)") }
            }
            #expect(started.lines.count == 1)
            #expect(try Client(path: path).request("GET", "/whence").status == 200)
            for server in servers { server.stop(within: .zero) }
            #expect(Self.mode(path) == nil)
        }
    }

    @Test func `a Unix-domain socket with a path that is too long stops the start`() throws {
        let server = try Self.server("/tmp/\(String(repeating: "x", count: 200))")
        #expect(throws: ServerStartError.self) { _ = try server.start() }
    }

    @Test(arguments: ["unix:", "unix:\0", "unix"])
    func `needs a path`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
