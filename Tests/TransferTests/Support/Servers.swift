import Foundation
import SMTPHarness
import Transfer

/// An unexpected result; the expression next to it says which.
struct Failed: Error {}

/// Runs a test with a new mail server.
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
