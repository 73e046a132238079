import Glibc
import JSON
import Testing

/// The contract's section 3.10, beside `TokenTests`.
@Suite("Contract, 3.10: refreshing")
struct RefreshContractTests {
    @Test func `a disabled user gets no new token`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.owner("/accounts:update", ["localId": .string(ann.uid), "disableUser": true])
            let answer = try server.refresh(ann.refreshToken)
            #expect(answer.code == "USER_DISABLED")
        }
    }

    @Test func `a refresh is no sign-in`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let before = try server.found(ann.uid)
            usleep(20_000)
            let answer = try server.refresh(ann.refreshToken)
            #expect(answer.status == 200)
            let after = try server.found(ann.uid)
            #expect(after["lastLoginAt"] == before["lastLoginAt"])
            #expect(after["lastRefreshAt"] != before["lastRefreshAt"])
        }
    }
}
