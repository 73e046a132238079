import Foundation
import SMTPHarness
import Transfer

/// Something did not come out as it should have; the expression beside it says what.
struct Failed: Error {}

/// Runs a test against a mail server of its own.
func withServer(
    _ configuration: SMTPServer.Configuration = SMTPServer.Configuration(),
    trusted: Bool = false,
    user: String = "",
    query: String = "",
    adjust: (inout SMTPConfiguration) -> Void = { _ in },
    _ body: (SMTPServer, SMTPClient) async throws -> Void
) async throws {
    let server = try SMTPServer(configuration)
    try server.start()
    defer { server.stop() }
    let scheme = configuration.security == .implicit ? "smtps" : "smtp"
    var smtp = try SMTPConfiguration(url: "\(scheme)://\(user)127.0.0.1:\(server.port)\(query)")
    let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    if trusted, let certificate = server.certificatePEM {
        try Data(certificate.utf8).write(to: file)
        smtp.caFile = file.path
    }
    adjust(&smtp)
    let client = SMTPClient(smtp)
    try await body(server, client)
    await client.close()
}
