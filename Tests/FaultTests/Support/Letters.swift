import SMTPHarness
import Synchronization

/// A sign-in e-mail that arrived.
struct Letter: Sendable, Equatable {
    let messageID: String
    /// The action code in its link.
    let code: String
    /// The eight digits in its text, without the space.
    let digits: String
}

/// The e-mails that arrived, by address; several mail servers may deliver into it.
final class Letters: Sendable {
    private let all = Mutex<[String: [Letter]]>([:])

    /// Collects what a server receives from now on.
    func collect(from server: SMTPServer) {
        server.onMessage { [weak self] message in
            let mail = message.parsed
            let code = mail.links.lazy.compactMap { link in
                link.split(separator: "oobCode=").dropFirst().first?.prefix { $0 != "&" }
            }.first
            let lines = (mail.text ?? "").split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
            let digits = lines.first { $0.count == 8 && $0.allSatisfy(\.isNumber) }
            let letter = Letter(messageID: mail.messageID, code: String(code ?? ""), digits: digits ?? "")
            self?.all.withLock { all in
                for recipient in message.recipients { all[recipient.lowercased(), default: []].append(letter) }
            }
        }
    }

    func to(_ address: String) -> [Letter] {
        all.withLock { $0[address] ?? [] }
    }

    /// Waits for the last e-mail to an address.
    func wait(for address: String, within seconds: Double = 30) async throws -> Letter {
        try await eventually(within: seconds, "a mail to \(address)") { self.to(address).last }
    }

    /// Waits for the last e-mail to an address, unless the server that sends it ends before.
    func wait(for address: String, whileRunning server: TestedServer) async throws -> Letter {
        try await eventually(within: 30, "a mail to \(address)") {
            if let letter = self.to(address).last { return letter }
            guard server.program.status == nil else { throw Late(what: "a mail to \(address): the server has ended") }
            return nil
        }
    }

    /// Waits for an e-mail to an address whose link is not one of these.
    func wait(for address: String, beside known: Set<String>, within seconds: Double = 90) async throws -> Letter {
        try await eventually(within: seconds, "a new mail to \(address)") {
            self.to(address).last { !known.contains($0.code) }
        }
    }

    /// Waits until every address has an e-mail.
    func wait(for addresses: [String], within seconds: Double) async throws {
        for address in addresses { _ = try await wait(for: address, within: seconds) }
    }
}

extension SMTPServer {
    /// Starts a mail server for tests, on a given port.
    static func started(port: UInt16 = 0, into letters: Letters, faults: FaultPlan = .none) throws -> SMTPServer {
        var configuration = Configuration()
        configuration.port = port
        configuration.maximumMessages = 10
        let server = try SMTPServer(configuration)
        letters.collect(from: server)
        server.faults = faults
        try server.start()
        return server
    }
}
