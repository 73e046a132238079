import Foundation
import Server
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Language of the link's page") struct PageLanguageTests {
    @Test func `a link that cannot be read is answered in the browser's language`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = try Configuration.load(
            file: nil,
            environment: [
                "LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_MAILBOX_LISTEN": "127.0.0.1:0",
                "LATCHKEY_DATABASE": "sqlite:\(folder.path(percentEncoded: false))/test.db",
            ]
        )
        let instance = try Instance.start(configuration, logger: Log { _ in }, announce: { _ in })
        var get = URLRequest(url: try #require(URL(string: "\(instance.url)/auth/action?mode=signIn&oobCode=garbage")))
        get.setValue("de-AT,de;q=0.9", forHTTPHeaderField: "Accept-Language")
        var post = URLRequest(url: try #require(URL(string: "\(instance.url)/auth/action")))
        post.httpMethod = "POST"
        post.httpBody = Data("oobCode=garbage&action=approve".utf8)
        post.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        post.setValue("it", forHTTPHeaderField: "Accept-Language")
        for (request, language) in [(get, "de"), (post, "it")] {
            let (data, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 400)
            #expect(String(decoding: data, as: UTF8.self).contains("<html lang=\"\(language)\""))
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                instance.stop()
                continuation.resume()
            }
        }
    }
}
