import JSON
import Testing

/// Attacks that continue from another address of the same network once one is used up.
@Suite("Budgets of networks")
struct NetworkBudgetTests {
    /// Addresses of one network, each a different client.
    struct Network: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The network's limit as a multiple of a client's limit.
        let factor: Int
        let address: @Sendable (Int) -> String

        static let all = [
            Network(testDescription: "one /64", factor: 1) { "2001:db8:1:1::\(String($0, radix: 16))" },
            Network(testDescription: "one /56", factor: 2) { "2001:db8:1:\(String($0, radix: 16))::1" },
            Network(testDescription: "one /48", factor: 4) { "2001:db8:1:\(String($0, radix: 16))00::1" },
            Network(testDescription: "one IPv4 /24", factor: 16) { "203.0.113.\($0)" },
        ]
    }

    private static let limit = 2

    /// Counts the statuses of calls from 40 addresses of a network, and of one from elsewhere.
    private static func statuses(
        _ setting: String,
        _ network: Network,
        _ call: @escaping @Sendable (TestServer, Int, [String]) throws -> Answer
    ) async throws -> (allowed: Int, refused: Int, elsewhere: Int) {
        nonisolated(unsafe) var result = (allowed: 0, refused: 0, elsewhere: 0)
        let settings = [setting: String(limit), "TRUSTED_PROXIES": "127.0.0.1", "LIMITS_MAILS_PER_CLIENT": "1000"]
        try await TestServer.runInProduction(settings) { server in
            server.clock.startHour()
            let statuses = try (0..<40).map { number in
                try call(server, number, ["X-Forwarded-For: \(network.address(number))"]).status
            }
            let elsewhere = try call(server, 100, ["X-Forwarded-For: 2001:db8:2::1"]).status
            unsafe result = (
                statuses.count { $0 != 429 }, statuses.count { $0 == 429 }, elsewhere
            )
        }
        return unsafe result
    }

    @Test(arguments: Network.all)
    func `guests from many addresses of one network`(_ network: Network) async throws {
        let found = try await Self.statuses("LIMITS_GUESTS_PER_CLIENT", network) { server, _, headers in
            try server.call("accounts:signUp", headers: headers)
        }
        #expect(found == (Self.limit * network.factor, 40 - Self.limit * network.factor, 200))
    }

    @Test(arguments: Network.all)
    func `mails for many addresses of one network`(_ network: Network) async throws {
        let found = try await Self.statuses("LIMITS_LINKS_PER_CLIENT", network) { server, number, headers in
            try server.call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": .string("user\(number)@example.com")],
                headers: headers
            )
        }
        #expect(found == (Self.limit * network.factor, 40 - Self.limit * network.factor, 200))
    }

    @Test(arguments: Network.all)
    func `bad tokens from many addresses of one network share a limit`(_ network: Network) async throws {
        let found = try await Self.statuses("LIMITS_FAILURES_PER_CLIENT", network) { server, _, headers in
            try server.refresh("x", headers: headers)
        }
        #expect(found == (Self.limit * network.factor, 40 - Self.limit * network.factor, 400))
    }

    @Test(arguments: Network.all)
    func `wrong administrators' keys from many addresses of one network`(_ network: Network) async throws {
        let found = try await Self.statuses("LIMITS_FAILURES_PER_CLIENT", network) { server, _, headers in
            try server.call("accounts:lookup", headers: headers + ["Authorization: Bearer x"])
        }
        #expect(found == (Self.limit * network.factor, 40 - Self.limit * network.factor, 401))
    }

    @Test func `the factors are settings`() async throws {
        let settings = [
            "LIMITS_GUESTS_PER_CLIENT": "1", "TRUSTED_PROXIES": "127.0.0.1", "LIMITS_NETWORKS_IPV4_PREFIX24": "3",
        ]
        try await TestServer.runInProduction(settings) { server in
            server.clock.startHour()
            let statuses = try (1...5).map { number in
                try server.call("accounts:signUp", headers: ["X-Forwarded-For: 203.0.113.\(number)"]).status
            }
            #expect(statuses == [200, 200, 200, 429, 429])
        }
    }

    @Test func `a trusted proxy's own calls have no limit`() async throws {
        let settings = ["LIMITS_GUESTS_PER_CLIENT": "1", "TRUSTED_PROXIES": "127.0.0.1"]
        try await TestServer.runInProduction(settings) { server in
            server.clock.startHour()
            let statuses = try (0..<3).map { _ in try server.call("accounts:signUp").status }
            #expect(statuses == [200, 200, 200])
        }
    }
}
