import SMTPHarness

/// Runs a server during a closure.
func withServer(
    _ change: (inout SMTPServer.Configuration) -> Void = { _ in },
    faults: FaultPlan = .none,
    _ body: (SMTPServer) async throws -> Void
) async throws {
    var configuration = SMTPServer.Configuration()
    change(&configuration)
    let server = try SMTPServer(configuration)
    server.faults = faults
    try server.start()
    defer { server.stop() }
    try await body(server)
}

extension RawClient {
    /// Sends EHLO and an envelope.
    func begin(to recipient: String = "b@example.org") throws {
        _ = try reply()
        _ = try ask("EHLO raw")
        _ = try ask("MAIL FROM:<a@example.org>")
        _ = try ask("RCPT TO:<\(recipient)>")
    }

    /// Whether the server ended the connection, in order or with a reset.
    var isEnded: Bool {
        do {
            while try receive() != nil {}
            return true
        } catch let error as Failed {
            return error.isReset
        } catch {
            return false
        }
    }
}

extension RawClient.Failed {
    var isReset: Bool { code == 104 }
    var isRefused: Bool { code == 111 }
    /// Whether nothing arrived in time.
    var isTimeout: Bool { code == 11 }
}
