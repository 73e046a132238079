import DatabaseHarness
import Foundation
import Glibc
import PostgreSQLHarness
import Testing

@testable import Database

@Suite("TLS to PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct TLSTests {
    /// Tries to connect.
    ///
    /// - Returns: the error; `nil` if the connection succeeds and is encrypted.
    private func failure(_ url: String) throws -> String? {
        var configuration = PostgreSQLConfiguration(url: url)
        configuration.connections = 1
        do {
            let database = try PostgreSQLDatabase(configuration, migrations: FreshPostgreSQL.schema)
            defer { database.close() }
            let isEncrypted = try database.readNow { transaction in
                try transaction.first("SELECT CAST(ssl AS INTEGER) FROM pg_stat_ssl WHERE pid = pg_backend_pid()") {
                    try $0.integer(0)
                }
            }
            #expect(isEncrypted == 1)
            return nil
        } catch let error as DatabaseError {
            #expect(error.kind == .unavailable)
            return "\(error)"
        }
    }

    @Test func `the server's certificate is checked as the URL says`() throws {
        let port = try freePort()
        let server = try PostgreSQLServer(
            ["listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"],
            port: port
        ) { folder in
            try makeAuthority("ours", in: folder)
            try makeAuthority("another", in: folder)
            try PostgreSQLServer.run([
                "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                "-keyout", "\(folder)/server.key", "-out", "\(folder)/server.csr",
            ])
            try PostgreSQLServer.run([
                "openssl", "x509", "-req", "-in", "\(folder)/server.csr", "-CA", "\(folder)/ours.crt",
                "-CAkey", "\(folder)/ours.key", "-CAcreateserial", "-days", "2", "-out", "\(folder)/server.crt",
            ])
        }
        defer { try? server.stop("immediate") }
        func url(_ host: String, _ parameters: String) -> String {
            "postgresql://latchkey@\(host):\(port)/postgres?hostaddr=127.0.0.1&\(parameters)"
        }
        let ours = "sslrootcert=\(server.folder)/ours.crt", another = "sslrootcert=\(server.folder)/another.crt"
        #expect(try failure(url("localhost", "sslmode=require")) == nil)
        #expect(try failure(url("localhost", "sslmode=verify-full&\(ours)")) == nil)
        #expect(
            try failure(url("localhost", "sslmode=verify-full&\(another)"))?.contains("certificate verify failed")
                == true
        )
        let wrongName = try failure(url("db.example.com", "sslmode=verify-full&\(ours)"))
        #expect(wrongName?.contains("does not match host name \"db.example.com\"") == true)
        #expect(try failure(url("db.example.com", "sslmode=verify-ca&\(ours)")) == nil)
        #expect(
            try failure(url("localhost", "sslmode=verify-full&sslrootcert=/nowhere/ca.crt"))?.contains(
                "/nowhere/ca.crt"
            ) == true
        )
    }

    private func makeAuthority(_ name: String, in folder: String) throws {
        try PostgreSQLServer.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
            "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).crt",
        ])
    }

    /// Returns a free port that no outgoing connection takes before the server listens there: Linux gives those ports
    /// from 32768 on.
    private func freePort() throws -> Int {
        let free = (20_000..<32_000).shuffled().first { port in
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            address.sin_port = UInt16(port).bigEndian
            return unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        return try #require(free)
    }
}
