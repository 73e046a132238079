import Foundation
import LatchkeyApp
import LatchkeyClient
import PostgreSQLHarness
import Server

/// A whole Latchkey in development mode, on free ports and a new database.
final class RealServer: Sendable {
    let url: String
    private let instance: Instance
    private let folder: URL
    private let database: TestDatabase

    init(_ settings: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try TestDatabase(in: folder.path)
        let standard = [
            "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
            "LATCHKEY_SECRET": String(repeating: "s", count: 40),
        ].merging(try database.settings) { $1 }
        let configuration = try Configuration.load(
            file: nil,
            environment: standard.merging(settings) { _, own in own }
        )
        var environment = InstanceEnvironment()
        // Solved quickly, even in unoptimized builds.
        environment.challengeDifficulty = 10
        instance = try Instance.start(
            configuration,
            environment: environment,
            logger: Log { _ in },
            announce: { _ in }
        )
        url = instance.url
    }

    /// Waits for the newest e-mail to an address, and returns its link and its code.
    func mail(to address: String, after count: Int = 0) async throws -> (link: String, code: String) {
        struct Mailbox: Decodable {
            struct Message: Decodable {
                let to: [String]
                let links: [String]
                let text: String
            }
            let messages: [Message]
        }
        for _ in 0..<800 {
            let response = try await URLSessionTransport().send(
                .init(method: "GET", url: "\(url)/mailbox/messages", headers: [], body: [], timeout: .seconds(10))
            )
            let messages = try JSONDecoder().decode(Mailbox.self, from: Data(response.body)).messages
                .filter { $0.to == [address] }
            if messages.count > count, let message = messages.first, let link = message.links.first {
                let code = message.text.split(whereSeparator: \.isNewline).first { line in
                    line.utf8.count == 9
                        && line.filter { !$0.isWhitespace }.utf8.allSatisfy { (0x30...0x39).contains($0) }
                }
                return (link, String(code ?? ""))
            }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Missing()
    }

    struct Missing: Error {}

    /// Stops the server and deletes its data.
    func stop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                self.instance.stop(within: .seconds(2))
                continuation.resume()
            }
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
