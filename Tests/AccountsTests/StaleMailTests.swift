import Accounts
import Database
import Testing
import Tokens

@Suite("E-mails that waited long") struct StaleMailTests {
    private static let minute: Int64 = 60_000

    /// Prepares an e-mail without a ticket whose link lives `life` minutes, after `age` minutes.
    private func prepare(_ kind: MailKind, life: Int64, age: Int64) throws -> PreparedMail {
        let store = try TestStore()
        let flows = AccountFlows(
            policy: Policy(),
            secrets: try ServerSecrets(text: "0123456789abcdef0123456789abcdef")
        )
        let code = try TokenID.random()
        return try store.database.readNow { transaction in
            let queuedAt = transaction.now - age * Self.minute
            let mail = QueuedMail(
                id: "AAAAAAAAAAAAAAAAAAAAAA",
                kind: kind,
                to: "you@example.com",
                locale: "en",
                linkExpiresAt: queuedAt + life * Self.minute,
                newEmail: kind == .changeEmail ? "new@example.com" : nil,
                queuedAt: queuedAt
            )
            return try flows.prepare(mail, code: code, in: transaction)
        }
    }

    @Test(arguments: [MailKind.verifyEmail, .changeEmail, .emailChanged, .methodAdded, .methodRemoved])
    func `a mail whose link has under ten minutes left is given up`(kind: MailKind) throws {
        #expect(try prepare(kind, life: 1440, age: 1431) == .expired)
        guard case .send = try prepare(kind, life: 1440, age: 1429) else {
            Issue.record("a link with eleven minutes left is worth sending")
            return
        }
    }

    @Test func `a short-lived link may have used a third of its life`() throws {
        guard case .send = try prepare(.verifyEmail, life: 9, age: 2) else {
            Issue.record("a link of nine minutes that waited two is worth sending")
            return
        }
        #expect(try prepare(.verifyEmail, life: 9, age: 4) == .expired)
    }
}
